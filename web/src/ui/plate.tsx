/** A registration as it stands on its plate. Read aloud it is what it says. */
export function Plate({ text, size }: { text: string; size?: 'small' | 'large' }) {
  return (
    <span className="plate" data-size={size}>
      <span className="plate-text">{text.replace(/-/g, ' ')}</span>
    </span>
  );
}
