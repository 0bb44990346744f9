import { expect } from "chai";
import { cleanEnvironment } from "../../../src/shell/containment/clean-environment.js";

const WITHHELD: Readonly<Record<string, string>> = {
    ...{ PGPASSWORD: "x", MYSQL_PWD: "x", DB_PASS: "x", SSHPASS: "x", RAILS_MASTER_KEY: "x" },
    ...{ STRIPE_KEY: "x", OPENAI_KEY: "x", GITHUB_TOKEN: "x", CI_JOB_JWT: "x", NPM_AUTH: "x" },
    POSTGRES_URL: "postgres://ada:hunter2@db/shop",
    MONGODB_URI: "mongodb+srv://ada:hunter2@db/shop",
    REDIS_URL: "redis://:hunter2@cache:6379",
    SENTRY_DSN: "https://abc@sentry.example/1",
    SLACK_WEBHOOK_URL: "https://hooks.slack.com/services/T0/B0/abc",
    PIP_INDEX_URL: "https://ada:hunter2@pypi.example/simple",
    HTTPS_PROXY: "http://ada:hunter2@proxy:3128",
    CONNECTION: "Server=db;User=sa;Password=hunter22;",
    SETTINGS: '{"private_key": "-----BEGIN PRIVATE KEY-----"}',
    ...{ SSH_AUTH_SOCK: "/run/x", DOCKER_HOST: "x", KUBECONFIG: "/x", AWS_PROFILE: "x" },
};

const KEPT: Readonly<Record<string, string>> = {
    ...{ PATH: "/usr/bin", HOME: "/home/ada", LANG: "C", GIT_AUTHOR_NAME: "Ada" },
    ...{ PASSWORD_FILE: "/run/secrets/db", TLS_KEY_PATH: "/etc/tls/key", TOKEN_URL: "https://a/b" },
    ...{ MAX_TOKENS: "4096", KEYBOARD_LAYOUT: "us", COMPASS_HOME: "/x", AUTHOR: "Ada" },
    DATABASE_URL: "postgres://localhost/shop",
    HTTP_PROXY: "http://proxy:3128",
    NODE_OPTIONS: "--max-old-space-size=4096",
};

describe("The environment of contained commands", () => {
    for (const [name, value] of Object.entries(WITHHELD)) {
        it(`Contained commands do not see ${name}=${value}`, () => {
            expect([...cleanEnvironment([[name, value]]).keys()]).to.deep.equal([]);
        });
    }

    for (const [name, value] of Object.entries(KEPT)) {
        it(`Contained commands see ${name}=${value}`, () => {
            expect(cleanEnvironment([[name, value]]).get(name)).to.equal(value);
        });
    }

    it("Git's settings in variables are withheld together, or git would fail", () => {
        const variables = (key: string, value: string): [string, string][] => [
            ["GIT_CONFIG_COUNT", "2"],
            ["GIT_CONFIG_KEY_0", "core.pager"],
            ["GIT_CONFIG_VALUE_0", "cat"],
            ["GIT_CONFIG_KEY_1", key],
            ["GIT_CONFIG_VALUE_1", value],
        ];
        expect(cleanEnvironment(variables("core.editor", "vi")).size).to.equal(5);
        const header = variables("http.https://git.example/.extraheader", "AUTHORIZATION: x");
        expect(cleanEnvironment(header).size).to.equal(0);
    });
});
