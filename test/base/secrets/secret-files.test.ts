import { expect } from "chai";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { isSecretFile } from "../../../src/base/secrets/secret-files.js";
import { makeFolder } from "../../workspace/make-folder.js";

const SECRETS = [
    ...[".env", ".env.production", "packages/api/.env.local", ".ENV", "prod.env", ".env-prod"],
    ...[".env~", ".env_prod", "env.production", ".envs/.local/.postgres", ".envrc", ".env.bak"],
    ...["..env.swp", ".#.env", "#.env#", ".flaskenv", ".dev.vars", ".secrets", ".secrets.toml"],
    ...["secrets/db_password.txt", "my-secrets.yaml", "credentials.json", "credentials.json~"],
    ...["client_secret_123.json", "shop-firebase-adminsdk-ab1.json", "service-account.json"],
    ...["local.settings.json", "auth.json", "infra/terraform.tfstate", "terraform.tfstate.backup"],
    ...["id_rsa", "keys/id_ed25519", "id_rsa.bak", ".id_rsa.swp", "github_rsa", "deploy_key"],
    ...["store.p12", "a.pfx", "release.keystore", "a.jks", "krb5.keytab", "home.ovpn", "a.kdbx"],
    ...["home/.netrc", ".pgpass", ".pypirc", ".dockercfg", ".git-credentials", ".vault-token"],
    ...[".aws/credentials", "x/.aws/config", ".docker/config.json", ".kube/config", "kubeconfig"],
    ...[".pulumi/credentials.json", ".foundry/keystores/a", ".stack/upload/credentials.json"],
    ...[".dotnet/corefx/x509stores/my/a.pfx", ".ssh/any", ".gnupg/any", ".bash_history"],
];

const ORDINARY = [
    ...["secrets.ts", "token.go", "credentials_test.py", "env.d.ts", "src/env.ts", "src/key.ts"],
    ...[".env.example", ".env.sample", ".env-example", "example.env", "secrets.example.yaml"],
    ...["id_rsa.pub", ".ssh/known_hosts", "keyboard.ts", "credentials.ts", "pem.md"],
    ...["docs/secrets.md", "environment.md", "src/secrets/index.ts", "passwd", "tokenizer.json"],
    ...["package.json", "config.json", ".gitignore", ".nvmrc", ".venv/pyvenv.cfg", "env.yml"],
    ...[".aws/task-definition.json", "secrets.cpython-311.pyc", "Makefile", "README"],
];

/** Names of harmless files as well as of secrets, with content of both kinds. */
const BY_CONTENT: readonly (readonly [name: string, secret: string, harmless: string])[] = [
    [".npmrc", "//r.example/:_authToken=npmhunter2", "save-exact=true\n//r/:_authToken=${TOKEN}"],
    [".yarnrc.yml", 'npmAuthToken: "abchunter2"', "nodeLinker: node-modules"],
    [".cargo/config.toml", 'token = "ciohunter2"', '[build]\ntarget-dir = "out"'],
    ["pip.conf", "proxy = ada:hunter22@proxy:80", "proxy = proxy:80"],
    [".config/go/env", "GOPROXY=https://ada:hunter22@go.example", "GOPROXY=https://go.example"],
    [".config/uv/uv.toml", 'url = "https://ada:hunter22@uv.example"', 'url = "https://uv.example"'],
    [".m2/settings.xml", "<password>hunter2</password>", "<password>${env.PASS}</password>"],
    [".gradle/init.gradle", 'password = "hunter2"', "allprojects { }"],
    [".fly/config.yml", "access_token: fo1_hunter2", "app: shop"],
    ["token.json", '{"refresh_token": "1//0hunter2"}', '{"color": "red"}'],
    ["design-tokens.json", '{"api_token": "hunter2abc"}', '{"space-2": {"value": "8px"}}'],
    ["server.pem", "-----BEGIN PRIVATE KEY-----\nM", "-----BEGIN CERTIFICATE-----\nM"],
    ["tls/private.key", "-----BEGIN EC PRIVATE KEY-----\nM", "-----BEGIN PUBLIC KEY-----\nM"],
    ["a.asc", "-----BEGIN PGP PRIVATE KEY BLOCK-----\nx", "-----BEGIN PGP SIGNATURE-----\nx"],
    ["git-credential", "https://a:b@c", "#!/bin/sh\n"],
    ["nginx/htpasswd", "user:$apr1$x$y", "\x7fELF"],
];

describe("The rule for secret files", () => {
    const at = (name: string) => isSecretFile(name, path.join("/nowhere", name));

    for (const name of SECRETS) {
        it(`${name} is a secret file`, () => expect(at(name)).to.equal(true));
    }

    for (const name of ORDINARY) {
        it(`${name} is no secret file`, () => expect(at(name)).to.equal(false));
    }

    for (const [name, secret, harmless] of BY_CONTENT) {
        it(`What is in ${name} decides whether it is a secret file`, () => {
            const root = makeFolder({ [`a/${name}`]: secret, [`b/${name}`]: harmless });
            expect(isSecretFile(name, path.join(root, "a", name))).to.equal(true);
            expect(isSecretFile(name, path.join(root, "b", name))).to.equal(false);
        });
    }

    it("A key that cannot be read counts as a secret, settings that are not there do not", () => {
        expect(at("server.key")).to.equal(true);
        expect(at(".npmrc")).to.equal(false);
    });

    it("Settings with a credential far from their beginning, or too long to look for one, are secret files", () => {
        const long = "color = red\n".repeat(100_000);
        const root = makeFolder({
            ".npmrc": `${long}//r.example/:_authToken=npmhunter2\n`,
            "tokens.json": long,
            "a-token.json": long.repeat(4),
        });
        const isSecret = (name: string) => isSecretFile(name, path.join(root, name));
        expect(isSecret(".npmrc")).to.equal(true);
        expect(isSecret("tokens.json")).to.equal(false);
        expect(isSecret("a-token.json")).to.equal(true);
    });

    it("A link to settings with a credential is a secret file", () => {
        const root = makeFolder({ shared: "//r.example/:_authToken=npmhunter2" });
        symlinkSync("shared", path.join(root, ".npmrc"));
        expect(isSecretFile(".npmrc", path.join(root, ".npmrc"))).to.equal(true);
    });
});
