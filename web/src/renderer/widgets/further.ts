/** Widgets that few forms have. */
export { HeightWidget } from './height';
export { MoneyWidget } from './money';
export { RangeWidget } from './range';
