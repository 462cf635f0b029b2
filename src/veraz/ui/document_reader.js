// The pages of a document: which one is looked at, and the way to another one or to the quotation.
(() => {
  const box = getHtmlElement(__BOX__), label = getHtmlElement(__LABEL__), wanted = __PAGE__, top = 130;
  if (!box) return;
  const pages = () => [...box.querySelectorAll('figure')];
  const current = () => {
    const at = pages().findIndex(page => page.getBoundingClientRect().bottom > top + 40);
    return at < 0 ? pages().length - 1 : at;
  };
  const show = page => page && scrollTo({top: page.getBoundingClientRect().top + scrollY - top});
  const begin = () => {
    const quote = box.querySelector('.source-box, mark, tr.marked');
    if (quote) scrollTo({top: quote.getBoundingClientRect().top + scrollY - innerHeight / 3});
    else if (wanted > 1) show(box.querySelector(`[data-page="${wanted}"]`));
  };
  const tell = () => {
    if (!box.isConnected) return removeEventListener('scroll', tell);
    const page = pages()[current()];
    if (page && label) label.textContent = label.textContent.replace(/\d+/, page.dataset.page);
  };
  box.turn = by => show(pages()[Math.min(Math.max(current() + by, 0), pages().length - 1)]);
  addEventListener('scroll', tell, {passive: true});
  const first = box.querySelector('img');
  if (first) first.addEventListener('load', () => {
    box.style.setProperty('--page-ratio', `${first.naturalWidth} / ${first.naturalHeight}`);
    begin();
  }, {once: true});
  requestAnimationFrame(() => requestAnimationFrame(begin));
})();
