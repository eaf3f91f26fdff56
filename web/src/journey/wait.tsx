/** A wait says what is happening and for how long at most. */
import { useEffect, useState } from 'react';
import type { Progress, Step } from '../contract/api';
import { useClock } from '../renderer/context';
import { span } from '../ui/format';
import { Traveller } from '../ui/progress';
import { t } from '../ui/words';

interface Props {
  wait: NonNullable<Step['wait']>;
  waits: NonNullable<Step['waits']>;
  serverTime: string;
  scene?: Progress['scene'];
}

export function Wait({ wait, waits, serverTime, scene }: Props) {
  const now = useNow(serverTime);
  const since = Date.parse(wait.since);
  const deadline = wait.deadline ? Date.parse(wait.deadline) : undefined;
  const left = deadline === undefined ? undefined : (deadline - now) / 1000;
  const share = deadline === undefined ? undefined : Math.min(1, Math.max(0, (now - since) / (deadline - since)));
  return (
    <div className="card wait" role="status">
      <div className="wait-mark" aria-hidden="true">
        <Traveller scene={scene} />
      </div>
      <p className="wait-text">{wait.text}</p>
      {share !== undefined && <progress className="options-progress" max={1} value={share} aria-hidden="true" />}
      {left !== undefined && (
        <p className="wait-left" aria-hidden="true">
          {left > 1 ? t('at_most', { time: span(left) }) : t('taking_longer')}
        </p>
      )}
      {waits
        .filter(({ of = 0 }) => of > 1)
        .map((one) => (
          <p key={one.for} className="wait-left">
            {t('answered_of', { n: (one.of ?? 0) - (one.open ?? 0), all: one.of ?? 0 })}
          </p>
        ))}
      <p className="wait-keep">{t('may_leave')}</p>
    </div>
  );
}

/** The moment, again every second; while it is drawn first, the one of the view. */
function useNow(serverTime: string): number {
  const clock = useClock();
  const [now, setNow] = useState(() => Date.parse(serverTime));
  useEffect(() => {
    setNow(clock());
    const tick = setInterval(() => setNow(clock()), 1000);
    return () => clearInterval(tick);
  }, [clock]);
  return now;
}
