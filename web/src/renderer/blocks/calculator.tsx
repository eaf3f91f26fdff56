import { useContext } from 'react';
import type { Block as AnyBlock, CalculatorBlock } from '../../contract/blocks';
import { Block } from '../../ui/block';
import { DrawnCalculator } from '../context';

/** A form and what follows from its answers: drawn with the page, where it works without scripts; they take it over. */
export function CalculatorView({ title, text }: CalculatorBlock) {
  const drawn = useContext(DrawnCalculator);
  return (
    <Block kind="calculator">
      {title && <h2 className="block-title">{title}</h2>}
      {text && <p className="lead">{text}</p>}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: drawn by this same code */}
      <div className="calculator" dangerouslySetInnerHTML={{ __html: drawn }} />
    </Block>
  );
}

export const example: AnyBlock = {
  block: 'calculator',
  title: 'What a parcel costs',
  submit: 'Work it out',
  results: [{ block: 'text', text: '₹120' }],
};
