// Links out of the pages are the browser's; menus have a name; shortcuts for who prefers the keyboard.
(() => {
  const page = /^\/(es|en)(\/|$)/;
  window.addEventListener('click', event => {
    const link = event.target.closest && event.target.closest('a[href^="/"]');
    if (link && !page.test(link.getAttribute('href'))) event.stopPropagation();
  }, true);

  const named = node => {
    if (!(node.id || '').startsWith('q-portal--menu')) return;
    node.setAttribute('role', 'region');
    node.setAttribute('aria-label', document.documentElement.lang.startsWith('es') ? 'Opciones' : 'Options');
  };
  const watched = new MutationObserver(changes => changes.forEach(one => one.addedNodes.forEach(named)));
  window.addEventListener('DOMContentLoaded', () => watched.observe(document.body, {childList: true}));

  let waiting = 0;
  const typing = target => target.closest('input, textarea, select, [contenteditable=true], .q-dialog');
  window.addEventListener('keydown', event => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      emitEvent('palette');
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (event.key === '?') return emitEvent('shortcuts');
    if (event.key === '/') {
      const field = document.querySelector('[data-main-field] textarea, [data-main-field] input');
      if (field) { event.preventDefault(); field.focus(); }
      return;
    }
    if (event.key === 'g') { waiting = Date.now(); return; }
    if (Date.now() - waiting < 1500) {
      const link = document.querySelector(`a[data-go="${CSS.escape(event.key)}"]`);
      waiting = 0;
      if (link) { event.preventDefault(); link.click(); }
    }
  });
})();
