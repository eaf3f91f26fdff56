/** Steps and dialogs that only who has begun sees. */
export { Conflict } from './conflict';
export { OfferPage } from './offer-page';
export { Plan } from './plan';
export { Redirecting } from './redirecting';
export { Review } from './review';
export { Wait } from './wait';
