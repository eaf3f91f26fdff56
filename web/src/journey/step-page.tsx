/** Whichever step the server returned: progress, way back, heading, messages, then its body by what it carries. */
import { type MouseEvent, memo, type ReactNode, useMemo, useRef } from 'react';
import type { Data, Problem, Schema } from '../api/open';
import type { FieldProblem, Message, StepView } from '../contract/api';
import type { Block } from '../contract/blocks';
import { Blocks } from '../renderer/blocks';
import { toPath } from '../renderer/form/pointer';
import type { Place, Site } from '../site/boot';
import { money } from '../ui/format';
import { Progress } from '../ui/progress';
import { Loading } from '../ui/spinner';
import { t } from '../ui/words';
import { useAutomatic } from './automatic';
import { Missing } from './banners';
import { Messages } from './messages';
import { parts, useParts } from './parts';
import { Saved } from './saved';
import { SkeletonBody } from './skeleton';
import { StepFormCard } from './step-form';

export interface StepPageProps {
  view: StepView;
  data: Data;
  problems: FieldProblem[];
  failure?: Problem;
  saving?: 'saving' | 'saved' | 'unsaved';
  busy: boolean;
  /** counts the answers that left us on the same step: what they say stands in the window and takes the focus */
  answered?: number;
  /** it stands in a page that is not its own */
  within?: Place;
  /** times of a page, by name */
  timers?: Site['timers'];
  onType: (data: Data) => void;
  onSubmit: (data: Data) => void;
  onBack: (event: MouseEvent) => void;
}

export const StepPage = memo(function StepPage(props: StepPageProps) {
  const { view, failure, saving, answered = 0, within, onBack } = props;
  const Title = within ? 'h2' : 'h1';
  const { step } = view;
  const landing = step.kind === 'form' && blocksOf(view).some(({ block }) => block === 'hero');
  const general = view.messages.filter((message) => !aboutField(view, message));
  // a field of the step is at fault, and takes the focus: what else is said of it stands in the window too
  const pointed = Number(general.length < view.messages.length);
  return (
    <div className="step" data-kind={step.kind} data-step={step.id} data-landing={landing || undefined} key={step.id}>
      {!within && <Progress {...step.progress} />}
      <div className="step-bar">
        {step.back && (
          <a className="back" href={step.back} onClick={onBack}>
            {t('back')}
          </a>
        )}
      </div>
      <header className="step-head">
        <Title
          id="step-title"
          tabIndex={-1}
          autoFocus={within?.hash !== undefined}
          aria-describedby={general.length > 0 ? 'step-messages' : undefined}
        >
          {headOf(step.form?.schema, props.data) ?? step.title}
        </Title>
        {step.intro && <p className="lead">{step.intro}</p>}
        <Saved state={saving} />
      </header>
      <Messages messages={failure ? [told(failure)] : general} answered={answered * 2 + pointed} />
      <Arriving {...props} />
    </div>
  );
});

/** What was chosen of several may head the page in words of its own. */
function headOf(schema: Schema | undefined, data: Data): string | undefined {
  const fields: Record<string, Schema> = schema?.properties ?? {};
  return Object.entries(fields)
    .flatMap(([name, { oneOf = [] }]) => oneOf.filter((choice: Schema) => choice.const === data[name]))
    .find((choice) => choice.head)?.head;
}

/** What a view is made of is its author's: the renderer draws what it knows. */
const blocksOf = ({ step }: StepView) => (step.view?.blocks ?? []) as unknown as Block[];

/** What was not done, as a message of its own: it is an answer like any other. */
function told({ code, detail, prices }: Problem): Message {
  if (prices?.shown !== undefined && prices.now !== undefined) {
    const text = t('repriced', { now: money(prices.now), shown: money(prices.shown) });
    return { code: 'repriced', level: 'warning', pointer: null, text };
  }
  const text =
    detail ?? t(code === 'unreachable' ? 'failed_unreachable' : code === 'cookies' ? 'cookies_needed' : 'failed_else');
  return { code: 'failed', level: 'error', pointer: null, text };
}

/** The body as soon as its parts are here: until then the last one of this step, or its frame. */
function Arriving(props: StepPageProps) {
  const { state, again } = useParts(props.view);
  const last = useRef<StepView>(undefined);
  if (state === 'here') last.current = props.view;
  if (last.current) return <Body {...props} view={last.current} />;
  return state === 'failed' ? <Missing onRetry={again} /> : <SkeletonBody kind={props.view.step.kind} />;
}

function Body(props: StepPageProps) {
  const { step, server_time } = props.view;
  const { OfferPage, Redirecting, Review, Wait } =
    parts.further.here ?? ({} as Partial<NonNullable<typeof parts.further.here>>);
  const blocks = blocksOf(props.view);
  const problems = useFieldProblems(props);
  useAutomatic(step.form, props.data, props.busy, props.onSubmit);
  const form = step.form ? <StepFormCard key={step.form.id} {...props} problems={problems} form={step.form} /> : null;
  if (step.redirect && Redirecting)
    return (
      <Redirecting
        key={props.view.journey.revision}
        redirect={step.redirect}
        once={`${props.view.journey.id}:${props.view.journey.revision}`}
      />
    );
  if (step.wait && Wait) {
    return (
      <div className="step-body">
        <Wait wait={step.wait} waits={step.waits ?? []} serverTime={server_time} scene={step.progress.scene} />
        {step.view && <Blocks blocks={blocks} form={form} />}
      </div>
    );
  }
  if (step.review && Review) {
    const isLast = (block: Block) => block.block === 'actions';
    return (
      <Beside blocks={blocks.filter((block) => !isLast(block))} form={form}>
        <Review
          sections={step.review.sections}
          submit={step.review.submit}
          hasForm={form !== null && !blocks.some((block) => block.block === 'form')}
          form={form}
          {...props}
        />
        <Blocks blocks={blocks.filter(isLast)} />
      </Beside>
    );
  }
  if (OfferPage && blocks.some((block) => block.block === 'options'))
    return <OfferPage blocks={blocks} form={form} screenMs={props.timers?.screen} />;
  const placed = blocks.some((block) => block.block === 'form');
  return (
    <Beside blocks={blocks} form={form} first={!placed && form}>
      {!form && blocks.length === 0 && <Loading text={t('loading')} />}
    </Beside>
  );
}

const LATER = /cards|breakup|links/;

/**
 * The blocks of a step; what is bought stands beside them on a desk, above them on a phone. Beside the card that one keeps stands what
 * one may want later, below all on a phone.
 */
function Beside({
  blocks,
  form,
  first,
  children,
}: {
  blocks: Block[];
  form: ReactNode;
  first?: ReactNode;
  children?: ReactNode;
}) {
  const Plan = parts.further.here?.Plan;
  const ofStyle = (style: string) => blocks.filter((block) => (block as { style?: string }).style === style);
  const plan = ofStyle('plan');
  const later = ofStyle('keep')[0] ? blocks.filter(({ block }) => LATER.test(block)) : [];
  const rest = blocks.filter((block) => ![...plan, ...later].includes(block));
  return (
    <div className={`step-body${plan[0] || later[0] ? ' with-aside' : ''}`}>
      {Plan && plan[0] && <Plan blocks={plan} />}
      {first}
      <Blocks blocks={rest} form={form} />
      {children}
      {later[0] && (
        <div className="aside step-body">
          <Blocks blocks={later} />
        </div>
      )}
    </div>
  );
}

/** An error that a message tells about one answer of the form stands beside that answer, like any other. */
const aboutField = ({ step: { form } }: StepView, { level, pointer }: Message): boolean =>
  level === 'error' &&
  toPath(pointer ?? '')
    .slice(0, 1)
    .some((name) => name in Object(form?.schema.properties));

function useFieldProblems({ view, problems }: StepPageProps): FieldProblem[] {
  return useMemo(
    () =>
      problems.length > 0
        ? problems
        : view.messages
            .filter((message) => aboutField(view, message))
            .map(({ pointer, code, text }) => ({ pointer: pointer ?? '', code, text })),
    [problems, view],
  );
}
