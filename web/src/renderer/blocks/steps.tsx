import type { StepsBlock } from '../../api/types';

export const StepsView = ({ title, items }: StepsBlock) => (
  <section className="how">
    {title && <h2>{title}</h2>}
    <ol>
      {items.map((item) => (
        <li key={item.title}>
          <h3>{item.title}</h3>
          {item.text && <p>{item.text}</p>}
        </li>
      ))}
    </ol>
  </section>
);
