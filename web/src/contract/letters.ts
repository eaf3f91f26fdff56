/** Characters, each with how it is written plainly. Written by `cargo run --example schemas`; never by hand. */
export const PLAIN: ReadonlyMap<string, string> = new Map(
  `ßss ẞSS æae ÆAe œoe ŒOe øo ØO łl ŁL đd ĐD ðd ÐD þth ÞTh ħh ĦH ŧt ŦT ŋn ŊN ıi ĸk əe ƏE ɓb ƁB ɗd ƊD ‘' ’' ʼ' ʻ' ′' “" ”" ‐- ‑- –- —- −- ⁄/ ∕/`
    .split(' ')
    .map((one) => [one.charAt(0), one.slice(1)]),
);
