import { Fragment, type ReactNode } from 'react';
import type { Words } from '../contract/words';
import { pieces } from './words';

/** A sentence with elements in its places. */
export const said = <N extends keyof Words>(name: N, places: { [Place in Words[N]]: ReactNode }): ReactNode =>
  pieces<ReactNode>(name, places).map((piece, index) => <Fragment key={index}>{piece}</Fragment>);
