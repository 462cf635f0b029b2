// A real OpenID Connect issuer (the npm package oidc-provider) on loopback, with one client and one person.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, port, redirect] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const { Provider } = await import(pathToFileURL(require.resolve("oidc-provider")).href);
const issuer = `http://127.0.0.1:${port}`;
const person = { email: "eva@acme.test", email_verified: true, name: "Eva Outside", groups: ["it", "staff"] };

const provider = new Provider(issuer, {
  clients: [{
    client_id: "veraz", client_secret: "a secret agreed with the issuer", redirect_uris: [redirect],
    post_logout_redirect_uris: [new URL("/es/login?reason=out", redirect).href],
  }],
  scopes: ["openid", "email", "profile", "groups"],
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
  pkce: { required: () => true },
  cookies: { keys: ["only for tests"] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...person }) }),
});
provider.listen(Number(port), "127.0.0.1", () => console.log("ready"));
