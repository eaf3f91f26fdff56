// Sends a form that only carries fields to the next address; without script its button does.
for (const form of document.querySelectorAll("form[data-go]")) form.submit();
