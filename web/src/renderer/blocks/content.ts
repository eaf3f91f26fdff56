export { BannerView } from './banner';
export { CalculatorView } from './calculator';
export { CountdownView } from './countdown';
export { CoverageView } from './coverage';
export { JourneyView } from './journey';
export { ReviewsView } from './reviews';
export { ShareView } from './share';
export { SliderView } from './slider';
