/** The page around a step, as the server writes it. */
import type { Boot, Site } from '../src/site/boot.ts';

const nav = [
  { text: 'Parcels', link: '/parcel-insurance' },
  {
    text: 'Claims',
    link: '/claims',
    sub: [
      { text: 'Report a damage', link: '/claims/new' },
      { text: 'Track a claim', link: '/claims/track' },
    ],
  },
  { text: 'Help', link: '/help' },
];
export const site: Site = {
  name: 'Sample Cover',
  nav,
  footer: [
    {
      title: 'Products',
      links: [
        { text: 'Parcels', link: '/parcel-insurance' },
        { text: 'Yearly cover', link: '/yearly' },
      ],
    },
    {
      title: 'Company',
      links: [
        { text: 'Contact us', link: '/contact' },
        { text: 'Privacy', link: '/privacy' },
        { text: 'Terms', link: '/terms' },
      ],
    },
  ],
  legal: 'Sample Cover is a sample. It sells nothing and covers nothing.',
  call: { number: '18000000000', display: '1800 000 0000', text: 'Talk to us, 24/7' },
};

const items = () =>
  nav
    .map((item) =>
      item.sub
        ? `<li><details class="site-sub"><summary>${item.text}</summary><ul>${item.sub.map((sub) => `<li><a href="${sub.link}">${sub.text}</a></li>`).join('')}</ul></details></li>`
        : `<li><a href="${item.link}">${item.text}</a></li>`,
    )
    .join('');

export function shell(boot: Boot, inner: string): string {
  const { view } = boot;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${view?.step.title ?? 'Sample'} – ${site.name}</title><meta name="theme-color" content="#0b4f55"><link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/src/styles/index.css"><script type="module" src="/src/main.ts"></script></head>
<body data-hide="${(view?.step.hide ?? []).join(' ')}"><a class="skip-link" href="#main">Skip to main content</a>
<header class="site-header"><div class="site-header-in"><a class="wordmark" href="/"><svg class="wordmark-mark" aria-hidden="true" viewBox="0 0 24 24"><path d="M4 18V7.5L12 4l8 3.5V18"/><path d="M8 18v-6h8v6"/></svg><span>${site.name}</span></a>
<nav class="site-nav" aria-label="Main"><details class="site-menu"><summary class="site-menu-button"><span class="site-menu-icon" aria-hidden="true"></span>Menu</summary><ul class="site-menu-list">${items()}</ul></details><ul class="site-nav-list">${items()}</ul></nav>
<a class="site-call" href="tel:${site.call?.number}"><span class="site-call-icon" aria-hidden="true"></span><span class="site-call-text"><small>${site.call?.text}</small>${site.call?.display}</span></a></div></header>
<main id="main" class="main" tabindex="-1"><div id="app" data-server="true">${inner}</div></main>
<footer class="site-footer"><div class="site-footer-in"><div class="site-footer-groups">${(
    site.footer as { title: string; links: { text: string; link: string }[] }[]
  )
    .map(
      (group) =>
        `<section><h2>${group.title}</h2><ul>${group.links.map((link) => `<li><a href="${link.link}">${link.text}</a></li>`).join('')}</ul></section>`,
    )
    .join('')}</div><p class="site-legal">${site.legal}</p></div></footer>
<script type="application/json" id="boot">${JSON.stringify({ ...boot, site }).replace(/</g, '\\u003c')}</script></body></html>`;
}
