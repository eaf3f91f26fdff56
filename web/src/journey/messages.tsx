import { useEffect, useRef, useState } from 'react';
import type { Message } from '../contract/api';
import { Notice } from '../ui/notice';
import { useClear } from './use-clear';

const REASON =
  '.step[data-kind="form"] .step-body [data-block="notice"] > .notice:is([data-tone="warning"], [data-tone="error"])';

/**
 * What the server says beside a step. After an action that left us where we were it stands in the window, wherever one has
 * scrolled to, covers no way on, and takes the focus; closing it gives the focus back to what was pressed.
 */
export function Messages({ messages, answered = 0 }: { messages: Message[]; answered?: number }) {
  const ref = useRef<HTMLDivElement>(null);
  const pressed = useRef<HTMLElement>(null);
  const [closed, setClosed] = useState(0);
  const isAnswer = answered > 0 && messages.length > 0;
  const shown = messages.length > 0 && !(isAnswer && closed === answered);
  useEffect(() => {
    if (!isAnswer || answered === 0) return;
    const active = document.activeElement;
    if (active instanceof HTMLElement && !ref.current?.contains(active)) pressed.current = active;
    ref.current?.focus({ preventScroll: true });
    // what a form's page itself says of it comes into the window too
    document.querySelector(REASON)?.scrollIntoView?.({ block: 'nearest' });
  }, [isAnswer, answered]);
  useClear(ref, isAnswer && shown);
  if (!shown) return null;
  return (
    <div className="messages" id="step-messages" ref={ref} tabIndex={-1} data-answer={isAnswer || undefined}>
      {messages.map((message) => (
        <Notice
          key={message.code + message.text}
          tone={message.level}
          live
          onClose={
            isAnswer
              ? () => {
                  setClosed(answered);
                  pressed.current?.focus({ preventScroll: true });
                }
              : undefined
          }
        >
          {message.text}
        </Notice>
      ))}
    </div>
  );
}
