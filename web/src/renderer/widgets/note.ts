/** What is said of a text that is not taken as it was typed. */
import type { WidgetProps } from '@rjsf/utils';
import { useState } from 'react';
import { t } from '../../ui/words';
import { type NormaliseStep, rewritten } from '../form/normalise';

export const stepsOf = ({ schema }: Pick<WidgetProps, 'schema'>): NormaliseStep[] | undefined =>
  (schema as { 'x-normalise'?: NormaliseStep[] })['x-normalise'];

/** It stays while one goes on typing, until something else is not taken, or the field is empty or begun anew. */
export function useNote(steps: NormaliseStep[] | undefined): {
  text: string | undefined;
  see: (typed: string) => void;
} {
  const [text, setText] = useState<string>();
  const see = (typed: string) => {
    const { left, plain } = rewritten(steps, typed);
    if (left.length > 0) setText(t('left_out', { signs: left.join(' ') }));
    else if (plain) setText(t('written_plainly', plain));
    else if (typed.length < 2) setText(undefined);
  };
  return { text, see };
}
