/**
 * Once for all walks: the database of a product that has published the definitions of this tree. Each product of a walk begins
 * with a copy, so that none of them checks the same definitions anew.
 */
import { Product } from './product.ts';

export default async function prepare(): Promise<() => Promise<void>> {
  const product = await Product.start();
  await product.kill();
  process.env.E2E_PREPARED = product.folder;
  return () => product.stop();
}
