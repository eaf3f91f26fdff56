import { createElement, type ReactNode } from 'react';
import type { Prose } from '../contract/blocks';
import { safeUrl } from '../routes';

/** A part of words in Markdown, which the server has read: an element of a closed list, never markup of a value. */
export const drawProse = (part: Prose, key: number): ReactNode => {
  if (typeof part === 'string') return part;
  const { is, of, href } = part;
  const element = createElement(is, { key, href: href && safeUrl(href) }, of.map(drawProse));
  // it scrolls sideways by itself where it is too wide
  return is === 'table' ? createElement('div', { key, className: 'table-scroll', tabIndex: 0 }, element) : element;
};
