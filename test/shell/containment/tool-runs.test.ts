import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { expect } from "chai";

import { needIn, networkIn, readCommand } from "../../../src/code/commands/read-command.js";
import { ContainedProject, describeContained } from "./contained.js";

/** What a tool printed when it failed for an ordinary reason, word for word. */
interface FailedTool {
    readonly name: string;
    readonly exitCode: number;
    readonly stdout: string;
    readonly stderr: string;
}

const TOOLS: readonly FailedTool[] = JSON.parse(
    readFileSync("test/fixtures/failing-tools.json", "utf8")
);

/** Looks for news of itself and says nothing of it, as tools do. */
const NEWS = "(exec 3<>/dev/tcp/192.0.2.1/443) 2>/dev/null";

const TREE = {
    ".env": "KEY=1\n",
    "a.txt": "EOVERFLOW is 75, EROFS is 30, must be run as root\n",
    "sub/b.txt": "b\n",
    "main.c": '#include "missing.h"\n',
    Makefile: "all:\n\tfalse\n",
    "fails.test.mjs":
        'import test from "node:test";\nimport net from "node:net";\nimport assert from "node:assert";\n' +
        'test("nobody listens", (_, done) => { net.connect(9, "127.0.0.1").on("error", (e) => { assert.equal(e.code, "ECONNREFUSED"); done(); }); });\n' +
        'test("adds", () => assert.equal(1 + 1, 3));\n',
    "nowhere.js":
        'require("dns").lookup("nobody.invalid", (e) => { console.error(e); console.error("1 failing"); process.exit(1); });\n',
    "address.js":
        'const s = require("dgram").createSocket("udp4"); s.on("error", () => {}); s.connect(53, "192.0.2.1", () => { console.error("1 failing"); process.exit(1); }); setTimeout(() => { console.error("1 failing"); process.exit(1); }, 300);\n',
    "refused.py": 'import socket\nsocket.create_connection(("127.0.0.1", 9))\n',
};

/** A program that prints this on standard error and fails. */
function says(text: string): string {
    return `printf '%s\\n' '${text.replaceAll("'", `'\\''`)}' >&2; exit 1`;
}

/** What fails for an ordinary reason beside an attempt to reach the network. */
const ORDINARY: readonly (readonly [what: string, command: string])[] = [
    ["a test run in which another test expects a refused connection", "node --test fails.test.mjs"],
    ["a test whose refused connection is on standard error", "node --test fails.test.mjs >&2"],
    [
        "a loop that waits for its own server",
        "for i in 1 2 3; do (exec 3<>/dev/tcp/127.0.0.1/9); done; exit 1",
    ],
    ["a lookup of a name that exists nowhere", "node nowhere.js"],
    ["a program that asks for its own address", "node address.js"],
    ["a client of a server that was not started", "python3 refused.py"],
    ["a client that says so", says("connect ECONNREFUSED ::1:3000")],
    [
        "psql without a server",
        says(
            'psql: error: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused'
        ),
    ],
    [
        "a bundler that misses a module",
        says('[!] RollupError: Could not resolve "./missing.js" from "entry.js"'),
    ],
    ["a compiler that misses a header", "gcc -c main.c"],
    ["make", "make"],
    ["make without a rule", "make nothing"],
    ["grep that finds nothing above", "cd sub && grep -rn nomatchhere ../a.txt"],
    ["grep that finds nothing in the folder above", "cd sub && grep -n nomatchhere .."],
    ["a failure before a cd to the folder above", "cd sub && false; cd ..; false"],
    ["a file that is missing beside the subfolder", "cd sub && cat ../missing.txt"],
    [
        "a package that looks above its folder",
        says("Error: ENOENT: no such file or directory, open '../../shared/tsconfig.json'"),
    ],
    [
        "sed with a path to the folders above",
        "sed -n 's|from \"\\.\\./|from \"../../../|p' a.txt; exit 1",
    ],
    ["a look whether there is an .env", "test -f .env && echo '1 failing' >&2; exit 1"],
    ["a file that is shown on standard error", "cat a.txt >&2; exit 1"],
    ["diff", "diff a.txt sub/b.txt"],
    ["ls of nothing", "ls nothing-here"],
    ["an unknown command", "no-such-program-here"],
    ["a syntax error", "if then"],
    [
        "npm without a package.json",
        says(
            "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/nowhere/sub/package.json'"
        ),
    ],
    [
        "a test's title about the network",
        says("  ✓ retries after ENETUNREACH and EAI_AGAIN (5 ms)\n  ✕ adds (2 ms)"),
    ],
    [
        "a test's title about rights",
        says("  ✓ says that it must be run as root (5 ms)\n  ✕ adds (2 ms)"),
    ],
    [
        "an assertion about the network",
        says('    Expected: "ENOTFOUND"\n    Received: "EAI_AGAIN"'),
    ],
    [
        "an assertion about a read-only file",
        says("    + EROFS: read-only file system, open '/etc/x'\n    - undefined\n1 failing"),
    ],
    [
        "a source that is quoted",
        says(
            '    > 12 |   throw new Error("getaddrinfo ENOTFOUND example.org");\n         |         ^\n1 failing'
        ),
    ],
    [
        "a page about the rule that failed",
        says("/project/a.js:1:1 error  see https://eslint.org/docs/rules/semi"),
    ],
    [
        "a warning of a hidden file that is not why it fails",
        says("warning: .env is not loaded\n1 failing"),
    ],
];

/** What needs more than containment has, and what it is told to need. */
const REAL: readonly (readonly [command: string, needs: string])[] = [
    ["sudo id", "It needs more privileges"],
    ["docker ps", "docker ps needs the container engine"],
    ["git push", "git push needs the network"],
    ["git -c user.name=T fetch origin", "git fetch needs the network"],
    ["git clone https://example.org/x.git", "git clone needs the network"],
    ["npm install left-pad", "npm install needs the network"],
    ["yarn", "yarn needs the network"],
    ["pip install requests", "pip install needs the network"],
    ["cargo fetch", "cargo fetch needs the network"],
    ["go get example.org/x", "go get needs the network"],
    ["curl https://example.org", "curl needs the network"],
    ["wget https://example.org/x", "wget needs the network"],
    ["ssh example.org true", "ssh needs the network"],
    ["scp a.txt example.org:", "scp needs the network"],
    ["gh pr list", "gh needs the network"],
    ["kubectl get pods", "kubectl get needs the network"],
    ["systemctl status", "systemctl needs the machine's services"],
    ["crontab -l", "crontab needs the machine's schedule"],
    ["pkill node", "pkill acts on other processes"],
    ["kill 1", "kill acts on other processes"],
    ["ssh-add -l", "ssh-add needs your SSH agent"],
    ["sleep 100 &", "Runs in the background as a job"],
    ["c=curl; $c -sS https://example.org", "It needs the network: example.org, it says"],
    ["c=curl; $c -sS https://example.org 2>&1", "It needs the network: example.org, it says"],
    ["g=git; $g ls-remote https://example.org/x.git", "It needs the network: example.org, it says"],
    ["exec 3<>/dev/tcp/192.0.2.1/443", "It needs the network: 192.0.2.1:443, it says"],
    ["exec 3<>/dev/tcp/example.org/443", "It needs the network: example.org, it says"],
    [
        'node -e \'require("https").get("https://example.org")\'',
        "It needs the network: example.org, it says",
    ],
    [
        "node -e 'fetch(\"http://192.0.2.1/\").catch((e) => { throw e.cause; })'",
        "It needs the network: 192.0.2.1:80, it says",
    ],
    [
        "python3 -c 'import urllib.request as u; u.urlopen(\"https://example.org\")'",
        "It needs the network",
    ],
    [
        `${NEWS}; ${says("npm error network request to https://registry.npmjs.org/cowsay failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org")}`,
        "It needs the network: registry.npmjs.org, it says",
    ],
    [
        `${NEWS}; ${says('go: module example.org/x: Get "https://proxy.golang.org/x": dial tcp: lookup proxy.golang.org on 127.0.0.53:53: read udp: connection refused')}`,
        "It needs the network: proxy.golang.org, it says",
    ],
    [
        `${NEWS}; ${says("java.net.UnknownHostException: repo.maven.apache.org")}`,
        "It needs the network: repo.maven.apache.org, it says",
    ],
    [
        `${NEWS}; ${says('psql: error: could not translate host name "db.example.org" to address: Temporary failure in name resolution')}`,
        "It needs the network: db.example.org, it says",
    ],
    [
        says("E: setgroups 65534 failed - setgroups (1: Operation not permitted)"),
        "It needs to become another user, it says",
    ],
    ["cat .env", "It needs .env, which is hidden from contained commands"],
    ["cat ~/.netrc", "It needs ~/.netrc, which is hidden from contained commands"],
    [
        "bash -c 'cat ~/.net*'; cat ~/.netrc",
        "It needs ~/.netrc, which is hidden from contained commands",
    ],
    ["echo x >>~/.bashrc", "It needs to write ~/.bashrc"],
    ["echo x >/etc/north-was-here", "It needs to write /etc/north-was-here"],
    ...["mkdir ../beside", "git clone -q . ../beside", "ln -s a ../beside"].map(
        (command) => [command, "It needs to write /"] as const
    ),
    ["echo x >.git/hooks/pre-commit", "Changes the git repository"],
];

describeContained("what failing tools need", () => {
    let project: ContainedProject;
    before(async () => {
        project = await ContainedProject.make(TREE);
        await writeFile(path.join(project.home, ".netrc"), "machine x\n");
        await writeFile(path.join(project.home, ".bashrc"), "");
        for (const { name, stdout, stderr, exitCode } of TOOLS) {
            const file = path.join(project.root, name.replaceAll(" ", "-"));
            await writeFile(`${file}.out`, stdout);
            await writeFile(`${file}.err`, stderr);
            const base = path.basename(file);
            const script = `${NEWS}\ncat ${base}.out\ncat ${base}.err >&2\nexit ${exitCode}\n`;
            await writeFile(file, script);
        }
    });

    it("The tables have as many rows as they promise", () => {
        expect(TOOLS).to.have.length(22);
        expect(ORDINARY.length).to.be.at.least(30);
        expect(REAL).to.have.length(44);
    });

    for (const { name, exitCode } of TOOLS) {
        it(`A failing ${name} that also checks for updates needs nothing`, async () => {
            const run = await project.run(`bash ./${name.replaceAll(" ", "-")}`);
            expect(run.outcome.exitCode).to.equal(exitCode);
            expect(run.refusal).to.equal(undefined);
            expect(run.notes.join("\n")).to.contain("It tried the network");
        });
    }

    for (const [what, command] of ORDINARY) {
        it(`Beside a silent update check, this needs nothing: ${what}`, async () => {
            const known = needIn((await readCommand(command)).facts);
            expect(known).to.equal(undefined);
            const run = await project.run(`${NEWS}\n${command}`);
            expect(run.outcome.exitCode, run.outcome.stdout).not.to.equal(0);
            expect(run.refusal, run.outcome.stderr).to.equal(undefined);
        });
    }

    for (const [command, needs] of REAL) {
        it(`\`${command.slice(-70)}\` is told to need ${needs}`, async () => {
            const { facts } = await readCommand(command);
            const known = needIn(facts) ?? networkIn(facts);
            const run = known === undefined ? await project.run(command) : undefined;
            expect(known ?? run?.refusal?.text ?? "nothing", run?.outcome.stderr).to.match(
                new RegExp(`^${needs.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`)
            );
        });
    }
});
