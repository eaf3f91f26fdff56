/* The stand-in for a provider's chat in the sandbox: a button, a window with who answers, and an answer to whatever is written.
   The page says where it stands. */
(() => {
  const words = {
    en: {
      open: 'Chat with us',
      title: 'Chat',
      close: 'Close',
      label: 'Your message',
      send: 'Send',
      hello: 'Hello, this is Meera of the sandbox. What would you like to know?',
      you: 'You',
      me: 'Meera',
      answer: 'Thank you. Somebody who knows this page answers here in a moment; if it is urgent, please call us.',
    },
    hi: {
      open: 'हमसे चैट करें',
      title: 'चैट',
      close: 'बंद करें',
      label: 'आपका संदेश',
      send: 'भेजें',
      hello: 'नमस्ते, मैं सैंडबॉक्स से मीरा हूँ। आप क्या जानना चाहते हैं?',
      you: 'आप',
      me: 'मीरा',
      answer: 'धन्यवाद। इस पेज को जानने वाला कोई अभी यहाँ जवाब देगा; अगर जल्दी हो तो कृपया हमें फ़ोन करें।',
    },
  };
  const said = words[document.documentElement.lang] ?? words.en;
  const make = (tag, properties, ...inside) => {
    const one = Object.assign(document.createElement(tag), properties);
    one.append(...inside);
    return one;
  };
  const log = make('div', {});
  log.setAttribute('role', 'log');
  // a provider brings its own looks; a style sheet of the house would weigh on every page
  const looks = (one, style) => Object.assign(one.style, style);
  looks(log, { minHeight: '8rem', maxHeight: '50vh', overflow: 'auto', display: 'grid', gap: '0.5rem', alignContent: 'start' });
  const write = (who, text) => {
    log.append(make('p', {}, make('strong', { textContent: `${who}: ` }), text));
    log.scrollTop = log.scrollHeight;
  };
  const field = make('input', { className: 'input', type: 'text', maxLength: 500, required: true, autocomplete: 'off' });
  const form = make(
    'form',
    {},
    make('label', {}, make('span', { textContent: said.label }), field),
    make('button', { className: 'button small', type: 'submit', textContent: said.send }),
  );
  looks(form, { display: 'flex', gap: '0.75rem', alignItems: 'end' });
  looks(form.firstChild, { flex: '1' });
  const dialog = make('dialog', { className: 'dialog' });
  const title = make('h2', { id: 'chat-title', textContent: said.title });
  const close = make('button', { className: 'link-button', type: 'button', textContent: said.close });
  dialog.setAttribute('aria-labelledby', title.id);
  dialog.append(
    make(
      'div',
      { className: 'dialog-in' },
      make('div', { className: 'dialog-head' }, title, close),
      make('div', { className: 'dialog-body' }, log, form),
    ),
  );
  const button = make('button', { className: 'site-chat', type: 'button', textContent: said.open });
  button.setAttribute('aria-haspopup', 'dialog');
  button.onclick = () => {
    if (!log.hasChildNodes()) write(said.me, said.hello);
    dialog.showModal();
    field.focus();
  };
  close.onclick = () => dialog.close();
  dialog.onclick = (event) => event.target === dialog && dialog.close();
  form.onsubmit = (event) => {
    event.preventDefault();
    write(said.you, field.value);
    field.value = '';
    setTimeout(() => write(said.me, said.answer), 600);
  };
  (document.getElementById('main') ?? document.body).append(button, dialog);
})();
