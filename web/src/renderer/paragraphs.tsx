/** Text of several paragraphs; an empty line parts them. Text only: nothing in it becomes markup. */
export function Paragraphs({ text, className, size }: { text: string; className?: string; size?: string }) {
  return (
    <>
      {text.split(/\n{2,}/).map((paragraph, index) => (
        <p key={index} className={className} data-size={size}>
          {paragraph.trim()}
        </p>
      ))}
    </>
  );
}
