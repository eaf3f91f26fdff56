import type { WidgetProps } from '@rjsf/utils';
import { useEffect, useRef } from 'react';
import { digits } from '../form/letters';
import { Input } from './input';

/**
 * A one-time password: the phone may fill it in, it may be pasted, six digits and no more; the last digit sends it.
 * (R5-17, R5-18)
 */
export function OtpWidget(props: WidgetProps) {
  const { id, value, onChange, schema } = props;
  const length = schema.maxLength ?? 6;
  const sent = useRef<string>(undefined);
  const take = useRef((_: string) => {});
  take.current = (text) => onChange(digits(text).replace(/\D/g, '').slice(0, length) || undefined);

  useEffect(() => fromMessage((code) => take.current(code)), []);
  useEffect(() => {
    if (typeof value !== 'string' || value.length < length || sent.current === value) return;
    sent.current = value;
    document.getElementById(id)?.closest('form')?.requestSubmit();
  }, [id, value, length]);

  return (
    <Input
      widget={props}
      className="input-otp"
      text={String(value ?? '')}
      onText={(text) => take.current(text)}
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={undefined}
    />
  );
}

/** The code out of a message that names this site, where the phone offers that (WebOTP). The result gives up waiting. */
function fromMessage(take: (code: string) => void): () => void {
  const stop = new AbortController();
  if ('OTPCredential' in window)
    navigator.credentials
      .get({ otp: { transport: ['sms'] }, signal: stop.signal } as CredentialRequestOptions)
      .then((found) => take((found as { code?: string } | null)?.code ?? ''))
      .catch(() => {}); // refused, or left
  return () => stop.abort();
}

export const example = {
  name: 'otp',
  schema: {
    type: 'string',
    title: 'One-time password',
    minLength: 6,
    maxLength: 6,
    pattern: '^[0-9]{6}$',
    'x-secret': true,
    'x-ui': { widget: 'otp', hint: 'Six digits, sent to 98••• ••210' },
  },
};
