import { expect } from "chai";
import { replaceCredentials } from "../../../src/base/secrets/credentials.js";
import { KnownValues, valuesIn } from "../../../src/base/secrets/known-values.js";

const withoutValues = (file: string, text: string) =>
    new KnownValues(valuesIn(file)).replace(text, () => "[]");

/** Content of a secret file, what a command prints, and what is left of that. */
const KNOWN: readonly (readonly [file: string, printed: string, left: string])[] = [
    ["TOKEN=hunter2", "it is hunter2!", "it is []!"],
    ['export DB_PASS="correct horse 9"', "correct horse 9", "[]"],
    ["stripe: sk_live_abcdefgh12345678", "k=sk_live_abcdefgh12345678", "k=[]"],
    ['{"client_secret": "GOCSPX-a1b2C3d4"}', "GOCSPX-a1b2C3d4", "[]"],
    ["URL=postgres://ada:lovelace42@db/shop", "psql: lovelace42 refused", "psql: [] refused"],
    ["a3f5c2e1b4d6978812345678deadbeef\n", "key a3f5c2e1b4d6978812345678deadbeef", "key []"],
    ["TOKEN=Zx81kitten9Qabc", encodeURIComponent("Zx81kitten9Qabc"), "[]"],
    ["TOKEN=Zx81kitten9Qabc", Buffer.from("Zx81kitten9Qabc\n").toString("base64"), "[]Cg=="],
];

const NEVER =
    "DEBUG=true\nPORT=3000\nHOST=localhost\nENV=dev\nPASSWORD=\nTOKEN=test\nSECRET=changeme\n" +
    "REGION=us-east-1\nURL=https://shop.example/path\nMAIL=ada@shop.example\nKEY_FILE=/run/a1b2c3\n" +
    "API_KEY=your-api-key-1\nDB_PASSWORD=postgres\nTOKEN=${OTHER_TOKEN1}\nNAME=Shop of Ada Lovelace";

/** What is withheld in any text, and what is left. */
const CERTAIN: readonly (readonly [text: string, left: string])[] = [
    ["git@x https://ada:lovelace42@git.example/x.git", "git@x https://[]@git.example/x.git"],
    ["https://Ab3dEf6hIj9lMn2p@git.example/x", "https://[]@git.example/x"],
    ["ghp_abcdefghij1234567890 glpat-abcdefghij12", "[] []"],
    ["Authorization: Bearer abcdefgh12345678", "Authorization: []"],
    ["extraheader=AUTHORIZATION: basic eC1hY2Nlc3M6aHVudGVyMg==", "extraheader=AUTHORIZATION: []"],
    ["HEAD:.env:DB_PASSWORD=hunter2", "HEAD:.env:DB_PASSWORD=[]"],
    ["+STRIPE_KEY='abc12345'", "+STRIPE_KEY='[]'"],
    ['apiKey: "aB3dE5fG7hI9jK1lM3"', 'apiKey: []"'],
    ["https://hooks.slack.com/services/T0/B0/abcdef", "[]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Zq3b6yT\n-----END", "[]-----END"],
];

/** Code and documents, which the model must read as they are. */
const KEPT = [
    'if (text.includes("-----BEGIN RSA PRIVATE KEY-----")) return isPrivateKey(text) - 1;',
    "const token = await getToken(session);",
    "password: string;  // the user's",
    'const PASSWORD = "password";',
    "apiKey: process.env.OPENAI_API_KEY,",
    "if (token === undefined || secret.length < 12) throw new Error('no token');",
    "headers: { Authorization: `Bearer ${token}` }",
    "Set `Authorization: Bearer <token>`, or GITHUB_TOKEN=<your token>.",
    "postgres://postgres:postgres@localhost:5432/test postgres://user:password@host/db",
    "npm_config_update_notifier=false npm_package_config_port=1",
    "class sk-estimator-doc-link { }",
    "TOKEN=$(cat token) SECRET_KEY=${SECRET_KEY} PASSWORD=changeme",
    "MAX_TOKENS=4096 TOKEN_URL=https://auth.example/token API_KEY_FILE=/run/key",
    "export const tokenKinds = { accessToken: 'oauth2TokenProviderFactory' };",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "commit 317589cb7f86d081884c7d659a2feaa0c55ad015",
    "git clone ssh://git@github.com/ada/engine.git https://ada@dev.azure.com/x",
];

describe("Secrets by value", () => {
    for (const [file, printed, left] of KNOWN) {
        it(`A value of ${JSON.stringify(file)} is found in what a command prints`, () => {
            expect(withoutValues(file, printed)).to.equal(left);
        });
    }

    it("Ordinary values in a secret file are not secrets", () => {
        expect([...valuesIn(NEVER)]).to.deep.equal([]);
    });

    it("A short value inside a word is not found", () => {
        expect(withoutValues("TOKEN=hunter2", "hunter21 xhunter2")).to.equal("hunter21 xhunter2");
    });

    for (const [text, left] of CERTAIN) {
        it(`The model does not read the credential in ${JSON.stringify(text)}`, () => {
            expect(replaceCredentials(text, () => "[]")).to.equal(left);
        });
    }

    for (const text of KEPT) {
        it(`The model reads ${JSON.stringify(text)} as it is`, () => {
            expect(replaceCredentials(text, () => "[]")).to.equal(text);
        });
    }

    it("Two thousand values that begin alike are found without looking at each", () => {
        const alike = Array.from({ length: 2000 }, (_, index) => `aaaaaaaaaaaa${index}b`);
        const known = new KnownValues(alike);
        const text = `${"a".repeat(200_000)} aaaaaaaaaaaa77b`;
        expect(known.replace(text, () => "[]")).to.match(/ \[\]$/);
    });
});
