/** A PDF as somebody has it who reads it, listens to it, or scans the code on it. */
import { execFileSync } from 'node:child_process';
import jsQR from 'jsqr';

const run = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' });

/** Its words in the order in which they stand in the file. */
export const wordsOf = (file: string): string => run('pdftotext', '-raw', file, '-').replace(/\s+/g, ' ');

/** Title, whether it is tagged, size of its pages. */
export const factsOf = (file: string): Record<string, string> =>
  Object.fromEntries(
    run('pdfinfo', file)
      .split('\n')
      .map((line) => [line.split(':')[0]!, line.slice(line.indexOf(':') + 1).trim()]),
  );

/** Its tags with their words, as they are read aloud. */
export const tagsOf = (file: string): string => run('pdfinfo', '-struct-text', file);

/** What the code on its last page says, as a camera sees it. */
export function codeOn(file: string): string | undefined {
  const picture = execFileSync('pdftoppm', ['-gray', '-r', '150', '-f', factsOf(file).Pages!, '-singlefile', file], { maxBuffer: 2 ** 26 });
  const [, width, height] = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(picture.toString('latin1', 0, 40))!.map(Number) as [number, number, number];
  const shades = picture.subarray(picture.length - width * height);
  const pixels = new Uint8ClampedArray(width * height * 4);
  for (const [at, shade] of shades.entries()) pixels.set([shade, shade, shade, 255], at * 4);
  return jsQR(pixels, width, height)?.data;
}
