/**
 * Files: taken with the camera, chosen, or dropped. They travel by themselves (upload-queue.ts); the answer is their ids. One photo
 * after another by a list (`shots`): upload-shots.tsx.
 */
import type { WidgetProps } from '@rjsf/utils';
import { type DragEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button';
import { t } from '../../ui/words';
import { dress } from '../dress';
import { tied } from '../form/field';
import sheet from './upload.css?url';
import { type Files, type UploadUi, uploadUi, useFiles, useWaiting } from './upload-field';
import type { Item } from './upload-queue';
import { Act, aboutOf, FileRow, Progress, pictureOf, share, told } from './upload-row';
import { Shots } from './upload-shots';

export const dressed = dress(sheet);

export function UploadWidget(props: WidgetProps) {
  const files = useFiles(props);
  useWaiting(props, files);
  const { shots } = uploadUi(props);
  return (
    <>
      {shots ? <Shots widget={props} files={files} shots={shots} /> : <Choose widget={props} files={files} />}
      <Live files={files} />
    </>
  );
}

function Choose({ widget, files }: { widget: WidgetProps; files: Files }) {
  const { held, items, halves, max, room } = files;
  const ui = uploadUi(widget);
  const box = useRef<HTMLDivElement>(null);
  const [said, setSaid] = useState<string>();
  const [over, setOver] = useState(false);
  const off = widget.disabled || widget.readonly;

  const take = (chosen: File[], replaces?: string) => {
    const most = replaces ? 1 : room;
    setSaid(chosen.length > most ? t('upload_too_many', { n: max }) : undefined);
    if (most > 0)
      files.add(
        chosen.slice(0, most).map((file) => ({ file })),
        replaces,
      );
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    if (!off) take([...event.dataTransfer.files]);
  };
  // what a button stood on may be gone: the focus stays with the files
  const away = (act: () => void) => {
    act();
    setTimeout(() => box.current?.querySelector<HTMLElement>('button')?.focus(), 0);
  };
  const inPlace = (id: string) => items.find((item) => item.replaces === id);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped here can be chosen by the buttons within
    <div
      className="upload"
      ref={box}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {(held.length > 0 || items.length > 0 || halves.length > 0) && (
        <ul className="upload-files">
          {held.map(({ id, upload }) => {
            const name = upload?.name ?? t('loading');
            const next = inPlace(id);
            return (
              <FileRow
                key={id}
                name={name}
                picture={next?.picture ?? pictureOf(upload)}
                about={upload && aboutOf(upload)}
                state={next ? <Progress item={next} /> : t('upload_ready')}
                tone={next ? undefined : 'good'}
              >
                {next ? (
                  <Going item={next} files={files} ui={ui} take={take} away={away} />
                ) : (
                  <>
                    <Pick ui={ui} of={name} onFiles={(chosen) => take(chosen, id)} link>
                      {t('upload_replace')}
                    </Pick>
                    <Act of={name} onClick={() => away(() => files.remove(id))}>
                      {t('remove')}
                    </Act>
                  </>
                )}
              </FileRow>
            );
          })}
          {items
            .filter((item) => !held.some(({ id }) => id === item.replaces))
            .map((item) => (
              <FileRow
                key={item.key}
                name={item.name}
                picture={item.picture}
                about={aboutOf(item)}
                state={<Progress item={item} />}
                tone={item.state === 'refused' || item.state === 'failed' ? 'bad' : undefined}
              >
                <Going item={item} files={files} ui={ui} take={take} away={away} />
              </FileRow>
            ))}
          {halves.map((upload) => (
            <FileRow
              key={upload.id}
              name={upload.name}
              about={aboutOf(upload)}
              state={t('upload_half', { share: share(upload.received ?? 0, upload.size) })}
            >
              <Pick ui={ui} of={upload.name} onFiles={take} link>
                {t('upload_go_on')}
              </Pick>
              <Act of={upload.name} onClick={() => away(() => files.forget(upload.id))}>
                {t('remove')}
              </Act>
            </FileRow>
          ))}
        </ul>
      )}
      {room > 0 && !off && (
        <div className="upload-ways">
          <Ways widget={widget} many={room > 1} isMore={held.length + items.length > 0} onFiles={take} />
          <p className="upload-drop">{t('upload_drop')}</p>
        </div>
      )}
      {said && (
        <p className="field-note" role="status">
          {said}
        </p>
      )}
    </div>
  );
}

/** What can be done with a file on its way, or with one that was refused. */
function Going({
  item,
  files,
  ui,
  take,
  away,
}: {
  item: Item;
  files: Files;
  ui: UploadUi;
  take: (chosen: File[], replaces?: string) => void;
  away: (act: () => void) => void;
}) {
  const isOver = item.state === 'refused' || item.state === 'failed';
  return (
    <>
      {item.state === 'failed' && item.file && (
        <Act of={item.name} onClick={() => files.again(item.key)}>
          {t('try_again')}
        </Act>
      )}
      {isOver && (
        <Pick
          ui={ui}
          of={item.name}
          onFiles={(chosen) => {
            files.drop(item.key);
            take(chosen.slice(0, 1), item.replaces);
          }}
          link
        >
          {t('upload_other')}
        </Pick>
      )}
      <Act of={item.name} onClick={() => away(() => files.drop(item.key))}>
        {t(isOver ? 'remove' : 'upload_cancel')}
      </Act>
    </>
  );
}

/** On a phone the camera first; everywhere what is kept there. */
export function Ways({
  widget,
  many,
  isMore,
  onFiles,
}: {
  widget: WidgetProps;
  many?: boolean;
  isMore?: boolean;
  onFiles: (files: File[]) => void;
}) {
  const ui = uploadUi(widget);
  const media = ui.media ?? [];
  const described = tied(widget)['aria-describedby'];
  const camera = (['picture', 'video'] as const).filter((one) => media.includes(one));
  return (
    <>
      {camera.map((one) => (
        <Pick key={one} ui={ui} only={one} camera onFiles={onFiles} described={described}>
          {t(one === 'picture' ? 'upload_photo' : 'upload_video')}
        </Pick>
      ))}
      {media.includes('picture') && media.length > 1 && (
        <Pick ui={ui} only="picture" many={many} onFiles={onFiles} described={described}>
          {t('upload_gallery')}
        </Pick>
      )}
      <Pick ui={ui} many={many} onFiles={onFiles} described={described}>
        {isMore ? t('upload_more') : t('upload_file', { n: many ? 2 : 1 })}
      </Pick>
    </>
  );
}

interface PickProps {
  ui: UploadUi;
  onFiles: (files: File[]) => void;
  /** of what it takes only this */
  only?: 'picture' | 'video';
  camera?: boolean;
  many?: boolean;
  link?: boolean;
  /** the file that it is about */
  of?: string;
  described?: string;
  children: string;
}

/** A button that opens the device's own way to choose. */
export function Pick({ ui, onFiles, only, camera, many, link, of, described, children }: PickProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <span className="upload-pick" data-only={only}>
      <Button look={link ? 'link' : 'secondary'} aria-describedby={described} onClick={() => input.current?.click()}>
        {children}
        {of && <span className="sr"> {of}</span>}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        accept={accepted(ui, only)}
        capture={camera ? 'environment' : undefined}
        multiple={many || undefined}
        onChange={(event) => {
          const chosen = [...(event.target.files ?? [])];
          event.target.value = '';
          if (chosen.length > 0) onFiles(chosen);
        }}
      />
    </span>
  );
}

/** Other pictures than these are not named: a phone that keeps them otherwise sends these. */
const accepted = ({ accept }: UploadUi, only: PickProps['only']): string | undefined =>
  only
    ? accept
        ?.split(',')
        .filter((type) => type.startsWith(only === 'picture' ? 'image/' : 'video/'))
        .join()
    : accept;

/** Said once when something becomes of a file: that it has arrived, stands still or was refused; not each part of it. */
function Live({ files: { held, items } }: { files: Files }) {
  const [text, setText] = useState('');
  const before = useRef<{ states: Map<string, string>; held: number }>({ states: new Map(), held: held.length });
  useEffect(() => {
    const { states, held: count } = before.current;
    const news = items.filter(({ key, state }) => states.get(key) !== state && state !== 'goes' && state !== 'ready');
    const last = news.at(-1);
    if (last) setText(`${last.name}: ${told(last)}`);
    else if (held.length > count) setText(`${held.at(-1)?.upload?.name ?? ''}: ${t('upload_ready')}`);
    before.current = { states: new Map(items.map(({ key, state }) => [key, state])), held: held.length };
  }, [items, held]);
  return (
    <p className="sr" role="status">
      {text}
    </p>
  );
}

export const example = {
  name: 'upload',
  schema: {
    type: 'array',
    title: 'Invoice',
    items: { type: 'string', maxLength: 32 },
    maxItems: 3,
    'x-ui': {
      widget: 'upload',
      kind: 'invoice',
      max: 3,
      media: ['picture', 'pdf'],
      accept: 'image/jpeg,image/png,image/webp,application/pdf',
      hint: 'The shop printed it for you',
    },
  },
};
