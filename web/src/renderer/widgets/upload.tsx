import type { WidgetProps } from '@rjsf/utils';
import { nameOf, tied } from '../form/field';
import { uiOf } from './ui';

/** A file by name only: the bytes travel by themselves once the server takes uploads; they never become part of the answers. */
export function UploadWidget(props: WidgetProps) {
  const { id, value, onChange, disabled, readonly } = props;
  return (
    <div className="upload">
      <input
        className="input"
        type="file"
        id={id}
        name={nameOf(props)}
        accept={uiOf(props).accept ?? '.pdf,.jpg,.jpeg,.png'}
        disabled={disabled || readonly}
        {...tied(props)}
        onChange={(event) => onChange(event.target.files?.[0]?.name)}
      />
      {value && <p className="upload-name">{String(value)}</p>}
    </div>
  );
}

export const example = {
  name: 'upload',
  schema: { type: 'string', title: 'Invoice', 'x-ui': { widget: 'upload', hint: 'PDF, JPEG or PNG up to 10 MB' } },
};
