/* The stand-in for a provider's chat: a button that opens the ways to a person. The page says where it stands. */
(() => {
  const call = document.querySelector('a[href^="tel:"]');
  const box = document.createElement('details');
  box.className = 'site-chat';
  const button = document.createElement('summary');
  button.textContent = 'Chat with us';
  const text = document.createElement('p');
  text.textContent = 'Nobody answers in writing yet. A person answers on the telephone, day and night: ';
  if (call) {
    const link = document.createElement('a');
    link.href = call.href;
    link.textContent = call.href.slice(4);
    text.append(link);
  }
  box.append(button, text);
  document.body.append(box);
})();
