import { expect } from "chai";
import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { Workplace } from "../helpers/north-program.js";
import {
    type MessagesServer,
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { describeContained } from "../shell/containment/contained.js";
import { resultsIn } from "./requests.js";

/** Like no known form of a secret, so that only who knows them can take them out. */
const [IN_FILE, IN_ENVIRONMENT] = ["zebra-kitten-91", "walrus-mitten-37"];
const IN_URL = "otter-button-58";
const ALL = [IN_FILE, IN_ENVIRONMENT, IN_URL];

describeContained("secrets and the model", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(() => {
        place = new Workplace({
            "a.txt": "a\n",
            ".env": `API_TOKEN=${IN_FILE}\nDEBUG=true\n`,
            "config.py": `URL = "postgres://ada:${IN_URL}@db/shop"\nSIZE = 1\n`,
        });
        place.configure({ containment: "auto" });
        const git = (...commandLine: string[]) =>
            execFileSync("git", ["-c", "user.name=T", "-c", "user.email=t@x", ...commandLine], {
                cwd: place.repository,
            });
        git("add", "-Af");
        git("commit", "-qm", "All");
        git("remote", "add", "origin", `https://ada:${IN_URL}@git.example/x.git`);
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    const run = async (calls: Parameters<typeof toolUse>[], ...flags: string[]) => {
        const uses = calls.map((call) => toolUse(...call));
        server = await startMessagesServer({ script: [reply(...uses), reply(text("ok"))] });
        const env = {
            ANTHROPIC_API_KEY: "any-key-of-this-test",
            ANTHROPIC_BASE_URL: server.url,
            WALRUS_PASS: IN_ENVIRONMENT,
        };
        const all = ["-p", "Work", "--log-level", "debug", ...flags];
        const end = await place.run(all, { env });
        expect(end.code, end.stderr).to.equal(0);
        const sent = server.requests.map(({ raw }) => raw.toString("utf8")).join("\n");
        for (const secret of ALL) expect(sent + place.writtenAtHome()).not.to.contain(secret);
        return resultsIn(server.requests[1]?.body);
    };

    it("What git holds of committed secrets does not reach the model", async () => {
        const command =
            "git show HEAD:.env; git grep . HEAD; git archive HEAD | tar xO .env; git cat-file -p HEAD:.env; git checkout-index --prefix=/tmp/x/ -a; cat /tmp/x/.env; git remote -v; env";
        const { run_1 } = await run([["run_1", "shell_run", { command }]]);
        expect(run_1?.data?.stdout).to.contain("API_TOKEN=[secret withheld]\nDEBUG=true\n");
        expect(run_1?.data?.stdout).to.contain("postgres://ada:[secret withheld]@db/shop");
        expect(run_1?.data?.stdout).to.contain("origin\thttps://git.example/x.git (fetch)");
    });

    it("What a command for real prints of secrets does not reach the model", async () => {
        const command = "cat .env config.py .git/config; echo $WALRUS_PASS | rev | rev";
        const off = ["--contain", "off", "--approve-shell"];
        const { run_1 } = await run([["run_1", "shell_run", { command }]], ...off);
        expect(run_1?.data?.stdout).to.contain("API_TOKEN=[secret withheld]\nDEBUG=true\n");
        expect(run_1?.data?.stdout).to.match(/\[secret withheld\]\n$/);
    });

    it("What a hook adds to a message reaches the model without secrets", async () => {
        const hooks = [{ type: "command", command: 'echo "It is $WALRUS_PASS."' }];
        place.configure({ containment: "auto", hooks: { UserPromptSubmit: [{ hooks }] } });
        await run([["read_1", "read_file", { path: "a.txt" }]]);
        const [first] = server.requests;
        expect(first?.raw.toString("utf8")).to.contain("It is [secret withheld].");
    });

    it("The model cannot write what stands for a secret over the secret", async () => {
        const before = fs.readFileSync(path.join(place.repository, "config.py"), "utf8");
        const stand = 'URL = "postgres://ada:[secret withheld]@db/shop"';
        const results = await run(
            [
                ["read_1", "read_file", { path: "config.py" }],
                ["run_1", "shell_run", { command: `echo '${stand}' >config.py` }],
            ],
            "--accept-edits"
        );
        expect(JSON.stringify(results.read_1)).to.contain("[secret withheld]");
        expect(JSON.stringify(results.run_1)).to.contain("withheld-secret");
        const after = fs.readFileSync(path.join(place.repository, "config.py"), "utf8");
        expect(after).to.equal(before);
    });

    it("An edit of a text with a secret says that the model cannot see it", async () => {
        const old = 'URL = "postgres://ada:[secret withheld]@db/shop"';
        const edit = { path: "config.py", old, new: "URL = None" };
        const { edit_1 } = await run([["edit_1", "edit_replace_exact", edit]], "--accept-edits");
        expect(JSON.stringify(edit_1)).to.contain("stands for a secret that you cannot see");
    });
});
