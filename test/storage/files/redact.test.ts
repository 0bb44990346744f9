import { expect } from "chai";
import { createRedactor } from "../../../src/storage/files/redact.js";

/** Texts with a secret, by what must not be left of them. */
const SECRETS: readonly (readonly [secret: string, text: string])[] = [
    ["hunter2", "DB_PASSWORD=hunter2"],
    ["abc", "PGPASSWORD=abc psql"],
    ["correct horse", 'password = "correct horse"'],
    ["s3cr3t", "the password: s3cr3t"],
    ["wJalrXUtnFEMI/K7MDENG", "export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG"],
    ["AKIAIOSFODNN7EXAMPLE", "id AKIAIOSFODNN7EXAMPLE"],
    ["QWxhZGRpbjpvcGVu", "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="],
    ["QWxhZGRpbjpvcGVu", "got Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ== there"],
    ["abc.def-123", "authorization: Bearer abc.def-123"],
    ["lovelace", "curl -u ada:lovelace https://example.org"],
    ["lovelace", "curl --user=ada:lovelace https://example.org"],
    ["lovelace", "mysql --password lovelace"],
    ["lovelace", "mysqldump -h db -plovelace shop"],
    ["lovelace", "docker login -u ada -p 'lovelace' registry.example.org"],
    ["lovelace", "sshpass -p lovelace ssh ada@example.org"],
    ["lovelace", "redis-cli -h cache -a lovelace PING"],
    ["lovelace", "openssl enc -aes-256-cbc -k lovelace -in a"],
    ["lovelace", "openssl rsa -passin x -pass pass:lovelace"],
    ["lovelace", "aws configure set aws_secret_access_key lovelace"],
    [
        "eyJzdWIiOiIxMjM0",
        "got eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmN here",
    ],
    ["hf_aBcDeFgHiJ", "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ"],
    ["npm_aBcDeFgHiJ", "//registry.npmjs.org/:_authToken=npm_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"],
    ["npm_aBcDeFgHiJ", "npm_aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789"],
    ["gsk_aBcDeFgHiJ", "gsk_aBcDeFgHiJkLmNoPqRsTuVwXyZ"],
    ["glpat-aBcDeFgHiJ", "glpat-aBcDeFgHiJkLmNo"],
    ["012345", '{"apiKey":"012345"}'],
    ["012345", String.raw`{\"client_secret\": \"012345\"}`],
    ["012345", "https://example.org/?access_token=012345&page=2"],
    ["hunter2", "redis://:hunter2@localhost:6379"],
    ["hunter2", "postgres://ada:hunter2@localhost/db"],
    [
        "MIIEpAIBAAKCAQ",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQ\n-----END RSA PRIVATE KEY-----",
    ],
    ["012345", `${"services_billing_".repeat(5)}token: 012345`],
    ["c29tZSBrZXk", "AccountName=x;AccountKey=c29tZSBrZXk=;"],
];

const HARMLESS = [
    "max_tokens=4096 inputTokens: 12, tokens: 5",
    "tokenizer=cl100k_base",
    "PWD=/home/ada OLDPWD=/tmp",
    "the secretary: Ann",
    "PASSWORD_FILE=/run/secrets/db",
    "Basic knowledge of the token count",
    "docker run -u 1000:1000 alpine",
    "docker login --password-stdin",
    "docker run -p 8080:80 nginx",
    "mkdir -p src/mysql && ssh -p 2222 host",
    "mysql -p shop",
    "redis-cli ping; ls -a src",
    "aws configure set region eu-west-1",
    "sort -u a:b.txt is no user".replace("a:b.txt", "names.txt"),
    "ssh://git@github.com/ada/engine.git",
    "https://localhost:8080/path",
    "task-management-software, risk-assessment",
    "npm_config_loglevel=silent",
    "SyntaxError: Unexpected token: }",
    "author: Ada, key=value, monkey=1",
];

describe("Redaction of the log", () => {
    const redact = createRedactor([]);

    for (const [secret, text] of SECRETS) {
        it(`The log does not keep the secret of ${JSON.stringify(text)}`, () => {
            expect(text).to.contain(secret);
            expect(redact(text)).to.contain("[redacted]").and.not.to.contain(secret);
        });
    }

    for (const text of HARMLESS) {
        it(`The log keeps ${JSON.stringify(text)}`, () => {
            expect(redact(text)).to.equal(text);
        });
    }

    it("The text around a secret is kept", () => {
        expect(redact("connect DB_PASSWORD=hunter2 DB_HOST=db failed")).to.equal(
            "connect DB_PASSWORD=[redacted] DB_HOST=db failed"
        );
    });
});
