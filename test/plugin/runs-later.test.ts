import { expect } from "chai";
import { nameRunLater, runsLater } from "../../src/plugin/runs-later.js";
import type { FileChange } from "../../src/plugin/index.js";

/** What runs or obeys each of these without being asked to. */
const RUN_LATER = {
    "an editor": [
        ...[".vscode/tasks.json", ".idea/workspace.xml", ".devcontainer/devcontainer.json"],
        ...[".devcontainer.json", "project.code-workspace", ".zed/tasks.json", ".nvim.lua"],
        ...[".exrc", ".dir-locals.el", ".vim/vimrc", ".gdbinit", ".Rprofile"],
    ],
    "a shell that enters the folder": [
        ...[".envrc", ".autoenv", ".direnv/bin/x", "mise.toml", "mise.local.toml", "flake.nix"],
    ],
    git: [
        ...[".gitattributes", ".gitmodules", "sub/.gitattributes", ".husky/pre-commit"],
        ...[".githooks/x", "tools/hooks/post-checkout", ".overcommit.yml", ".lintstagedrc.js"],
        ...["lefthook.yml", "lefthook.yaml", "lefthook-local.yml", "lefthook.toml"],
        ...[".lefthook.yml", ".huskyrc.js", ".pre-commit-config.yaml", "lint-staged.config.mjs"],
    ],
    "a package manager": [
        ...[".npmrc", ".yarnrc.yml", ".yarn/releases/yarn.cjs", ".pnp.cjs", ".pnpmfile.cjs"],
        ...[".mvn/extensions.xml", ".cargo/config.toml", "packages/a/b/.npmrc"],
    ],
    CI: [
        ...[".github/workflows/ci.yml", ".github/actions/a/action.yml", ".travis.yml"],
        ...["Jenkinsfile", "ci/Jenkinsfile", "azure-pipelines.yml", ".woodpecker.yml"],
        ...[".buildkite/pipeline.yml", ".gitea/workflows/a.yml", ".gitlab-ci.yml"],
        ...[".gitlab/ci/a.yml", ".gitpod.yml", ".circleci/config.yml", "netlify.toml"],
    ],
    "another assistant": [
        ...["AGENTS.md", "packages/a/AGENTS.md", "AGENTS.override.md", "CLAUDE.md"],
        ...["CLAUDE.local.md", "GEMINI.md", ".cursor/rules/a.mdc", ".cursorrules", ".mcp.json"],
        ...[".claude/settings.json", ".codex/config.toml", ".gemini/settings.json", ".roo/a.md"],
        ...[".github/copilot-instructions.md", ".github/instructions/a.md", ".kiro/hooks/a.json"],
        ...[".opencode/plugin/a.ts", "opencode.json", ".pi/extensions/a.ts", ".aider.conf.yml"],
        ...[".clinerules/a.md", ".continue/config.yaml", ".windsurf/rules/a.md"],
    ],
    North: [".agents/skills/a/SKILL.md", ".north/skills/a/SKILL.md"],
};

const RUN_WHEN_ASKED = [
    ...["src/a.ts", "docs/update.md", "package.json", "src/commit-message.ts", "Makefile"],
    ...["docs/agents/index.md", "src/gemini.ts", "src/mise.ts", "update/index.ts", "a..b"],
    // Data that no program executes.
    ...[".gitignore", "sub/.gitignore", ".editorconfig", ".prettierrc", ".prettierrc.json"],
    ...[".eslintrc.json", ".dockerignore", ".npmignore", ".gitkeep", ".env.example"],
    // What tools cache.
    ...[".pytest_cache/v/lastfailed", "web/.next/build.js", ".eslintcache", ".coverage"],
    ...["node_modules/.cache/babel/a.json", ".mypy_cache"],
];

function change(path: string, others: Partial<FileChange> = {}): FileChange {
    return { path, before: null, beforeHash: null, after: Buffer.from("new\n"), ...others };
}

describe("the rule for files that run later", () => {
    for (const [program, paths] of Object.entries(RUN_LATER)) {
        it(`Files that ${program} runs or obeys without being asked to run later`, () => {
            for (const path of paths) {
                expect(runsLater(path), path).to.equal(true);
                expect(runsLater(path.toUpperCase()), path.toUpperCase()).to.equal(true);
            }
        });
    }

    it("Files that run only when somebody starts them do not count as run later", () => {
        for (const path of RUN_WHEN_ASKED) {
            expect(runsLater(path), path).to.equal(false);
            expect(nameRunLater(change(path)), path).to.equal(undefined);
        }
    });

    it("A data file beside a name that begins with a dot, and an invisible character before the dot, run later", () => {
        for (const path of [".vscode/.gitignore", ".github/.editorconfig", "\u200c.envrc"]) {
            expect(runsLater(path), path).to.equal(true);
        }
    });

    it("A link or file that takes the name of such a folder runs later", () => {
        for (const name of [".vscode", ".husky", ".github", ".claude", ".venv", "sub/.idea"]) {
            expect(nameRunLater(change(name, { type: "link" })), name).to.equal(name);
            expect(nameRunLater(change(name)), name).to.equal(name);
        }
    });

    it("In dependencies only new data that a command left there does not run later", () => {
        const before = Buffer.from("old\n");
        const ignored = { isIgnored: true } as const;
        for (const folder of ["node_modules/a", ".venv/lib", "vendor/a", "venv/lib", "x/.tox/a"]) {
            const file = `${folder}/index.js`;
            expect(nameRunLater(change(file, ignored)), file).to.equal(undefined);
            expect(nameRunLater(change(file, { ...ignored, mode: 0o755 })), file).to.equal(file);
            expect(nameRunLater(change(file, { ...ignored, type: "link" })), file).to.equal(file);
            expect(nameRunLater(change(file, { ...ignored, before })), file).to.equal(file);
            expect(nameRunLater(change(file, { ...ignored, before, after: null }))).to.equal(file);
        }
        const path = "node_modules/.bin/tsc";
        expect(nameRunLater(change(path, ignored))).to.equal(path);
        for (const file of [".venv/lib/a.pth", "venv/lib/site-packages/sitecustomize.py"]) {
            expect(nameRunLater(change(file, ignored)), file).to.equal(file);
        }
    });

    it("An edit in a folder of dependencies runs later, unless the name is that of tracked sources", () => {
        expect(nameRunLater(change("node_modules/a/index.js"))).to.equal("node_modules/a/index.js");
        expect(nameRunLater(change("src/vendor/a.ts"))).to.equal(undefined);
    });
});
