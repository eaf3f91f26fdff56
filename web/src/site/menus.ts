/** What the header's menus do beside opening, which they can do alone. Loaded with the first press on a page. */
export {};


// one that is open closes when something else is pressed
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('.site-header [open]'))
    menu.open = menu.contains(event.target as Node);
});

// while the menu of a phone is open, everything else is out of reach
const slide = document.getElementById('site-menu');
const keep = (isOpen: boolean) => {
  for (const one of document.body.children) if (one !== slide) (one as HTMLElement).inert = isOpen;
};
if (slide) {
  keep(slide.matches(':popover-open'));
  slide.addEventListener('beforetoggle', ({ newState }) => keep(newState === 'open'));
  matchMedia('(min-width: 48rem)').addEventListener('change', () => slide.hidePopover());
}
