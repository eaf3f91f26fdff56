/** Whichever step the server returned: progress, way back, heading, messages, then its body by what it carries. */
import { type MouseEvent, useMemo } from 'react';
import type { Data, FieldProblem, Message, Problem, StepView } from '../api/types';
import { Blocks } from '../renderer/blocks';
import { Notice } from '../ui/notice';
import { Progress } from '../ui/progress';
import { Loading } from '../ui/spinner';
import { useAutomatic } from './automatic';
import { Failure } from './banners';
import { OfferPage } from './offer-page';
import { Redirecting } from './redirecting';
import { Review } from './review';
import { Saved } from './saved';
import { StepFormCard } from './step-form';
import { Wait } from './wait';

export interface StepPageProps {
  view: StepView;
  data: Data;
  problems: FieldProblem[];
  failure?: Problem;
  saving?: 'saving' | 'saved' | 'unsaved';
  busy: boolean;
  onType: (data: Data) => void;
  onSubmit: (data: Data) => void;
  onBack: (event: MouseEvent) => void;
}

export function StepPage(props: StepPageProps) {
  const { view, failure, saving, onBack } = props;
  const { step } = view;
  const general = view.messages.filter((message) => !aboutField(view, message));
  return (
    <div className="step" data-kind={step.kind} data-step={step.id} key={step.id}>
      <Progress sections={step.progress?.sections ?? []} />
      <div className="step-bar">
        {step.back && (
          <a className="back" href={step.back} onClick={onBack}>
            Back
          </a>
        )}
      </div>
      <header className="step-head">
        <h1 id="step-title" tabIndex={-1}>
          {step.title}
        </h1>
        {step.intro && <p className="lead">{step.intro}</p>}
        <Saved state={saving} />
      </header>
      {general.length > 0 && (
        <div className="messages">
          {general.map((message) => (
            <Notice key={message.code + message.text} tone={message.level} live>
              {message.text}
            </Notice>
          ))}
        </div>
      )}
      {failure && <Failure failure={failure} />}
      <Body {...props} />
    </div>
  );
}

function Body(props: StepPageProps) {
  const { step, server_time } = props.view;
  const problems = useFieldProblems(props);
  useAutomatic(step.form, props.data, props.busy, props.onSubmit);
  const form = step.form ? <StepFormCard key={step.form.id} {...props} problems={problems} form={step.form} /> : null;
  if (step.redirect)
    return (
      <Redirecting
        key={props.view.journey.revision}
        redirect={step.redirect}
        once={`${props.view.journey.id}:${props.view.journey.revision}`}
      />
    );
  if (step.wait) {
    return (
      <div className="step-body">
        <Wait wait={step.wait} waits={step.waits ?? []} serverTime={server_time} />
        {step.view && <Blocks blocks={step.view.blocks} form={form} />}
      </div>
    );
  }
  if (step.review) {
    return (
      <div className="step-body">
        {step.view && <Blocks blocks={step.view.blocks} form={form} />}
        <Review
          sections={step.review.sections}
          submit={step.review.submit}
          hasForm={form !== null && !step.view?.blocks.some((block) => block.block === 'form')}
          form={form}
          {...props}
        />
      </div>
    );
  }
  const blocks = step.view?.blocks ?? [];
  if (blocks.some((block) => block.block === 'options'))
    return <OfferPage blocks={blocks} form={form} submit={step.form?.submit} data={props.data} />;
  const placed = blocks.some((block) => block.block === 'form');
  return (
    <div className="step-body">
      {!placed && form}
      {blocks.length > 0 && <Blocks blocks={blocks} form={form} />}
      {!form && blocks.length === 0 && <Loading text="Loading…" />}
    </div>
  );
}

/** An error that a message tells about one answer stands beside that answer, like any other. */
const aboutField = (view: StepView, message: Message): boolean =>
  message.level === 'error' && Boolean(message.pointer) && view.step.form != null;

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
