import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { ContainedRun, Containment } from "../src/shell/containment/containment.js";
import { openContainment } from "../src/shell/containment/open-containment.js";
import { needsReal } from "../src/core/approval/needs-real.js";
import { looksSecret } from "../src/workspace/secrets.js";
import { median, type BenchRow } from "./measure.js";

const TIMES = 9;

/** What contained runs cost, and what becomes of 60 commands. */
export async function containmentRows(): Promise<BenchRow[]> {
    const top = realpathSync(mkdtempSync(path.join(tmpdir(), "north-bench-contained-")));
    try {
        return [...(await overheads(top)), await commandTable(top)];
    } finally {
        rmSync(top, { recursive: true, force: true });
    }
}

async function overheads(top: string): Promise<BenchRow[]> {
    const small = await project(path.join(top, "small"), 20);
    const large = await project(path.join(top, "large"), 50_000);
    const rows = [
        await overhead("a contained `true`, over the same uncontained", small, "true", 60),
        await overhead("`git status` in 50,000 files", large, "git status --porcelain", 1000),
        await overhead("a command that writes 2,000 files", small, WRITES, 2000),
    ];
    await Promise.all([small, large].map(({ containment }) => containment.dispose()));
    return rows;
}

const WRITES = "mkdir out; for i in {1..2000}; do echo $i >out/$i; done";

interface Project {
    readonly root: string;
    readonly home: string;
    readonly containment: Containment;
}

async function project(folder: string, files: number): Promise<Project> {
    const [root, home] = [path.join(folder, "project"), path.join(folder, "home")];
    mkdirSync(home, { recursive: true });
    for (let file = 0; file < files; file++) {
        const place = path.join(root, `d${file % 500}`);
        mkdirSync(place, { recursive: true });
        writeFileSync(path.join(place, `${file}.txt`), `${file}\n`);
    }
    git(root, "init", "-q");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "all");
    const opened = await openContainment({
        root,
        environment: { ...process.env, HOME: home },
        layerFolders: [path.join(home, "layers")],
        hiddenFolders: [],
        settings: { show: [], hide: [] },
        isSecret: looksSecret,
        isIgnored: () => Promise.resolve(false),
    });
    if (opened.kind === "unavailable") throw new Error(opened.reason);
    return { root, home, containment: opened.containment };
}

function git(root: string, ...commandLine: string[]): void {
    const identity = ["-c", "user.name=B", "-c", "user.email=b@example.org"];
    execFileSync("git", [...identity, ...commandLine], { cwd: root });
}

async function overhead(
    what: string,
    { root, home, containment }: Project,
    command: string,
    boundMs: number
): Promise<BenchRow> {
    const contained: number[] = [];
    const plain: number[] = [];
    for (let time = 0; time < TIMES; time++) {
        contained.push(await timed(() => run(containment, root, home, command)));
        plain.push(await timed(() => spawnSync("bash", ["-c", command], { cwd: root })));
        rmSync(path.join(root, "out"), { recursive: true, force: true });
    }
    const more = median(contained) - median(plain);
    return {
        what,
        value: `${Math.round(more)} ms more`,
        bound: `${boundMs} ms`,
        ok: more <= boundMs,
    };
}

async function timed(work: () => unknown): Promise<number> {
    const begin = performance.now();
    await work();
    return performance.now() - begin;
}

function run(
    containment: Containment,
    root: string,
    home: string,
    command: string
): Promise<ContainedRun> {
    const variables = new Map([
        ["PATH", process.env.PATH ?? ""],
        ["HOME", home],
    ]);
    const { signal } = new AbortController();
    const state = { folder: root, variables, definitions: "" };
    return containment.run({ command, state, timeoutMs: 10_000, signal });
}

/** Real work, attacks, and what cannot work contained; `+` where the project must be changed. */
const COMMANDS = [
    "git status",
    "git log --oneline",
    "git diff",
    "git branch -a",
    "git show --stat",
    "git blame d0/0.txt",
    "ls -la",
    "find . -name '*.txt' | wc -l",
    "rg 1 .",
    "grep -rn 1 d1",
    "wc -l d0/0.txt",
    "du -sh .",
    "cat d0/0.txt",
    "node --version",
    "node -e 'console.log(1)'",
    "node --test",
    "npm test",
    "npx --no-install tsc --version",
    "python3 --version",
    "python3 -c 'print(1)'",
    "pytest -q",
    "cargo --version",
    "go version",
    "make -n",
    "gcc --version",
    "sed -i s/0/zero/ d0/0.txt",
    "mv d1 moved",
    "rm -rf d2",
    "mkdir -p a/b/c",
    "touch new.txt",
    "cp -r d3 copy",
    "chmod +x d4/4.txt",
    "ln -s d0 link",
    "ln d0/0.txt hard",
    "echo x >d0/0.txt",
    "tar czf all.tgz d0 d1",
    "truncate -s 1M big",
    "git commit -qam more",
    "git stash",
    "git checkout -b other",
    "git gc -q",
    "git push",
    "git fetch",
    "npm install left-pad",
    "pip install requests",
    "curl https://example.org",
    "wget -q example.org",
    "docker ps",
    "sudo id",
    "ssh example.org true",
    "sleep 100 &",
    "timeout 1 sleep 100",
    "timeout 1 yes >/dev/null",
    "bash -c ':(){ :|:& };:; sleep 1'",
    "cat ~/.ssh/id_rsa",
    "cat /proc/1/environ",
    "echo x >/etc/x",
    "echo x >~/.profile",
    "echo x >.git/hooks/pre-commit",
    "mkdir -p node_modules/.bin && echo x >node_modules/.bin/tool",
    "mount -t tmpfs x /mnt",
    "unshare -Ur true",
    `kill -9 ${process.pid}`,
    "python3 -c 'import os; os.kill(1, 9)'",
];

/** Prints what became of each. */
async function commandTable(top: string): Promise<BenchRow> {
    const place = await project(path.join(top, "table"), 20);
    mkdirSync(path.join(place.home, ".ssh"));
    writeFileSync(path.join(place.home, ".ssh/id_rsa"), "secret\n");
    writeFileSync(path.join(place.root, "package.json"), '{"scripts":{"test":"node --test"}}');
    const before = picture(place);
    let changed = 0;
    for (const command of COMMANDS) {
        const known = needsReal(command);
        const line =
            known === undefined ? await outcomeOf(place, command) : `asked at once: ${known}`;
        process.stdout.write(`    ${command.slice(0, 50).padEnd(52)}${line}\n`);
        if (picture(place) !== before) changed += 1;
    }
    await place.containment.dispose();
    return {
        what: `commands of ${COMMANDS.length} that changed a file before a review`,
        value: String(changed),
        bound: "0",
        ok: changed === 0,
    };
}

async function outcomeOf({ containment, root, home }: Project, command: string): Promise<string> {
    const { outcome, effects, refusal } = await run(containment, root, home, command);
    const { exitCode, durationMs } = outcome;
    const ended = `exit ${exitCode} in ${durationMs} ms`;
    if (refusal) return `asked: needs ${refusal.text} (${ended})`;
    const names = effects.slice(0, 3).map((effect) => effect.path);
    return effects.length === 0
        ? ended
        : `review of ${effects.length}: ${names.join(", ")} (${ended})`;
}

function picture({ root, home }: Project): string {
    return execFileSync(
        "bash",
        [
            "-c",
            'find "$1" "$2" -path "$2/layers" -prune -o -type f -exec sha256sum {} + | sort',
            "-",
            root,
            home,
        ],
        { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }
    );
}
