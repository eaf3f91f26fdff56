/** Who works for the house: signed in with number, one-time password and the code of an authenticator app. */
import { createHmac } from 'node:crypto';
import { expect } from '@playwright/test';
import type { Walk } from './walk.ts';

/** What the app shows now, set up with this `otpauth:` address. */
export function appCode(address: string): string {
  const secret = new URL(address).searchParams.get('secret')!;
  const bits = [...secret].map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac('sha1', key).update(step).digest();
  const number = hash.readUInt32BE(hash[19]! & 15) & 0x7fff_ffff;
  return String(number % 1_000_000).padStart(6, '0');
}

export async function signIn(walk: Walk, mobile: string, address: string): Promise<void> {
  await walk.open('/staff/login');
  await walk.type('Mobile number', mobile);
  await walk.submit('Send OTP');
  await expect(walk.heading('Enter the code we sent you')).toBeVisible();
  await walk.type('One-time password', await walk.code(mobile));
  await expect(walk.heading('The code from your app')).toBeVisible();
  // the last digit sends it
  await walk.type('One-time password', appCode(address));
  await expect(walk.heading('You are signed in')).toBeVisible();
}
