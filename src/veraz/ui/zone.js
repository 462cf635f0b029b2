// The browser's time zone goes to the server in a cookie; where the server did not know it yet, the page comes again.
(() => {
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC');
  const known = () => document.cookie.split('; ').includes(`veraz_zone=${zone}`);
  if (known()) return;
  document.cookie = `veraz_zone=${zone}; path=/; max-age=31536000; SameSite=Lax`;
  if (zone !== 'UTC' && known()) location.reload();
})();
