// Sends a form that only carries fields to the next address; without script its button does.
for (const form of document.querySelectorAll("form[data-go]")) form.submit();

// A page that waits for news looks again.
const { refresh } = document.body.dataset;
if (refresh) setTimeout(() => location.reload(), Number(refresh) * 1000);

// What the page around this one waits for.
for (const told of document.querySelectorAll("[data-tell]")) parent.postMessage({ token: told.dataset.tell }, location.origin);
