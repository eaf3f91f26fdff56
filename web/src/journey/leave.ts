/** A partner may ask for the person elsewhere. This tab follows each such request once, so that Back does come back. */
export function followed(journey: string, seq: number): boolean {
  const name = `left:${journey}`;
  try {
    if (Number(sessionStorage.getItem(name) ?? -1) >= seq) return true;
    sessionStorage.setItem(name, String(seq));
  } catch {
    // without storage the page stays: better than a circle
    return true;
  }
  return false;
}
