export { CardsView } from './cards';
export { FaqView } from './faq';
export { HeroView } from './hero';
export { LinksView } from './links';
export { StepsView } from './steps';
export { TableView } from './table';
