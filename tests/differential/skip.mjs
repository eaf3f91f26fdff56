/** What a public case needs and the dialect does not have. */
export class Skip extends Error {}
