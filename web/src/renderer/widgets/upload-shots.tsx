/**
 * Photos by a list, one after the other: what to take, how to hold the camera, the photo taken again where it is no good. Each is on
 * its way while the next one is taken, and is kept when the line drops. Which photo a file is says its name.
 */
import type { WidgetProps } from '@rjsf/utils';
import { useState } from 'react';
import { safeUrl } from '../../routes';
import { Button } from '../../ui/button';
import { t } from '../../ui/words';
import { Pick, Ways } from './upload';
import { type Files, isComing, isOf, type Shot, uploadUi } from './upload-field';
import { Act, FileRow, Progress, pictureOf } from './upload-row';

const nameFor = (shot: Shot, { type, name }: File): string =>
  `${shot.key}.${type === 'image/jpeg' ? 'jpg' : (name.split('.').at(-1) ?? 'jpg')}`;

export function Shots({ widget, files, shots }: { widget: WidgetProps; files: Files; shots: Shot[] }) {
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const [wanted, setWanted] = useState<string>();
  const taken = shots.map((shot) => ({
    shot,
    held: files.held.find(({ upload }) => isOf(shot, upload?.name)),
    item: files.items.find((item) => isOf(shot, item.name)),
  }));
  const open = taken.filter(({ held, item }) => !held && !(item && isComing(item)));
  const now = open.find(({ shot }) => shot.key === wanted) ?? open.find(({ shot }) => !skipped.has(shot.key));
  const take = (shot: Shot, [file]: File[], replaces?: string) => {
    setWanted(undefined);
    for (const item of files.items) if (isOf(shot, item.name)) files.drop(item.key);
    if (file) files.add([{ file, name: nameFor(shot, file) }], replaces);
  };
  return (
    <div className="upload">
      {now ? (
        <section className="upload-shot" aria-labelledby={`${widget.id}-shot`}>
          <p className="upload-name" id={`${widget.id}-shot`}>
            {t('upload_shot', { n: shots.indexOf(now.shot) + 1, all: shots.length, title: now.shot.title })}
          </p>
          {safeUrl(now.shot.scene) && <img className="upload-scene" src={safeUrl(now.shot.scene)} alt="" />}
          {now.shot.hint && <p className="field-hint">{now.shot.hint}</p>}
          {now.item && <p className="field-error">{now.item.reason ?? t('upload_failed')}</p>}
          <div className="upload-ways">
            <Ways widget={widget} onFiles={(chosen) => take(now.shot, chosen)} />
            {!now.shot.required && (
              <Button look="link" onClick={() => setSkipped(new Set([...skipped, now.shot.key]))}>
                {t('upload_skip')}
              </Button>
            )}
          </div>
        </section>
      ) : (
        <p className="upload-about">{t('upload_all')}</p>
      )}
      <ul className="upload-files">
        {taken
          .filter(({ shot }) => shot !== now?.shot)
          .map(({ shot, held, item }) => (
            <FileRow
              key={shot.key}
              name={shot.title}
              picture={item?.picture ?? pictureOf(held?.upload)}
              state={item ? <Progress item={item} /> : held ? t('upload_ready') : t('upload_open')}
              tone={held && !item ? 'good' : undefined}
            >
              {held || item ? (
                <Pick
                  ui={uploadUi(widget)}
                  only="picture"
                  camera
                  of={shot.title}
                  onFiles={(chosen) => take(shot, chosen, held?.id)}
                  link
                >
                  {t('upload_retake')}
                </Pick>
              ) : (
                <Act of={shot.title} onClick={() => setWanted(shot.key)}>
                  {t('upload_photo')}
                </Act>
              )}
            </FileRow>
          ))}
      </ul>
    </div>
  );
}
