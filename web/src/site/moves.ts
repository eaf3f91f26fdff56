/** What moves by itself on a page: sliders that turn, countdowns. Each can be paused, and none starts where movement is unwanted. */
import { t } from '../ui/words';

const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Runs `step` every `ms` until it says `false`. The button of the block pauses it, calling `rest`, and lets it go on. */
function repeat(block: HTMLElement, ms: number, step: () => boolean, rest?: () => void): void {
  const button = block.querySelector<HTMLButtonElement>('.moves-pause');
  let timer: ReturnType<typeof setInterval> | undefined;
  const run = () => {
    timer = setInterval(() => {
      if (step()) return;
      clearInterval(timer);
      button?.remove();
    }, ms);
  };
  run();
  if (!button) return;
  button.hidden = false;
  button.addEventListener('click', () => {
    if (timer) {
      clearInterval(timer);
      timer = undefined;
      rest?.();
    } else if (step()) run();
    button.textContent = t(timer ? 'pause' : 'play');
  });
}

function slider(block: HTMLElement): void {
  const every = Number(block.dataset.every);
  const list = block.querySelector('ul');
  if (!every || !list || isStill()) return;
  let resting = false;
  for (const sign of ['pointerenter', 'focusin', 'touchstart']) list.addEventListener(sign, () => (resting = true));
  for (const sign of ['pointerleave', 'focusout']) list.addEventListener(sign, () => (resting = false));
  repeat(block, every, () => {
    if (resting || document.hidden) return true;
    const width = list.firstElementChild?.clientWidth ?? 0;
    const end = list.scrollWidth - list.clientWidth;
    list.scrollTo({ left: list.scrollLeft >= end - 4 ? 0 : list.scrollLeft + width });
    return true;
  });
}

function countdown(block: HTMLElement): void {
  const { until = '' } = block.dataset;
  // a day ends with its last moment in India
  const end = Date.parse(until.length === 10 ? `${until}T23:59:59+05:30` : until);
  const said = block.querySelector('strong');
  if (!said || Number.isNaN(end)) return;
  const day = said.textContent;
  const tick = (): boolean => {
    const left = Math.floor((end - Date.now()) / 1000);
    if (left <= 0) {
      (block.closest<HTMLElement>('.block') ?? block).hidden = true;
      return false;
    }
    const parts = [Math.floor(left / 86_400), Math.floor(left / 3600) % 24, Math.floor(left / 60) % 60, left % 60];
    const first = parts.findIndex((part) => part > 0);
    said.textContent = (['days', 'h', 'min', 's'] as const)
      .map((unit, i) => `${parts[i]} ${t(unit)}`)
      .slice(first)
      .join(' ');
    return true;
  };
  // what stands still is the day: a time that is left would soon be wrong
  if (tick() && !isStill()) repeat(block, 1000, tick, () => (said.textContent = day));
}

for (const block of document.querySelectorAll<HTMLElement>('[data-moves]')) {
  if (block.dataset.moves === 'slider') slider(block);
  else countdown(block);
}
