import type { CardsBlock } from '../../api/types';

export const CardsView = ({ title, items }: CardsBlock) => (
  <section className="cards">
    {title && <h2>{title}</h2>}
    <ul>
      {items.map((item) => (
        <li key={item.title} className="card">
          {item.icon && (
            <span className="cards-icon" aria-hidden="true">
              {item.icon}
            </span>
          )}
          <h3>{item.title}</h3>
          <p>{item.text}</p>
        </li>
      ))}
    </ul>
  </section>
);
