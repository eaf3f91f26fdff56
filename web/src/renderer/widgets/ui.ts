import type { WidgetProps } from '@rjsf/utils';
import type { FieldUi } from '../../contract/blocks';

/** What the field's `x-ui` says. */
export const uiOf = (widget: WidgetProps): FieldUi => widget.options as unknown as FieldUi;
