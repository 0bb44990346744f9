import { ownValue } from "../../base/fields.js";
import { argumentsOf, type ProgramCall } from "./facts.js";

const ANY = /^/;
/** Names of scripts and targets: `test`, `test:unit`, `unit-test`, but not `test-server`. */
const TARGET = /(?:^|[ :/])(?:[a-z]+[-_])?(?:tests?|check|lint|verify|type-?check)(?![\w-])/;
const SCRIPT = /^(?:tests?|lint|check|type-?check|types|tsc|build|verify|spec)(?![\w-])/;

type CheckRule = readonly [programs: string, words: RegExp];

/** Program names, and a pattern for their first words without options. */
const RULES: readonly CheckRule[] = [
    ["npm pnpm yarn bun", /^(?:t|tst|test)(?![\w-])/],
    ["tsc vue-tsc tsgo eslint oxlint stylelint xo standard tsd publint", ANY],
    ["jest mocha ava tap tape jasmine wtr c8 nyc", ANY],
    ["vitest", /^(?!list\b|init\b)/],
    ["biome", /^(?:check|lint|ci)\b/],
    ["playwright ng", /^test\b/],
    ["cypress", /^run\b/],
    ["next ng astro svelte-check", /^(?:lint|build|check)\b|^$/],
    ["pytest py.test unittest nose2 trial behave tox nox doctest", ANY],
    ["mypy pyright basedpyright pylint flake8 pyflakes py_compile compileall", ANY],
    ["ruff", /^check\b/],
    ["python django-admin", /(?:^|\/)manage\.py test\b|^test\b/],
    ["phpunit pest phpstan psalm phpcs rspec cucumber rubocop prove busted luacheck", ANY],
    ["ctest bats shellcheck yamllint actionlint hadolint staticcheck gotestsum ginkgo", ANY],
    ["deno cargo go dotnet composer rake rails mix swift dart flutter zig stack cabal", /^test\b/],
    ["bazel bazelisk buck2 meson sbt lein hatch", /^test\b/],
    ["deno cargo", /^(?:check|lint|clippy|build|nextest r(?:un)?)\b/],
    // Its own short names.
    ["cargo", /^[tbc](?![\w-])/],
    ["go dotnet swift bazel dune", /^(?:vet|build)\b/],
    ["dune", /^(?:run)?test\b/],
    ["meson", /^compile\b/],
    ["php", /^(?:\S*\/)?artisan test\b/],
    // Minitest and test-unit run whatever a file defines.
    ["ruby", /^\S*(?:_test|\btest_\w+)\.rb(?= |$)/],
    ["dart flutter", /^analyze\b/],
    ["zig", /^build test\b/],
    ["rake rails composer", /^(?:spec|lint|check)\b/],
    ["golangci-lint pre-commit", /^run\b/],
    ["terraform tofu", /^validate\b/],
    ["xcodebuild", TARGET],
    ["make gmake ninja just task ant invoke poe nx turbo lerna", TARGET],
    ["mvn mvnw", TARGET],
    // Each phase of a build includes the ones before it: `install` runs the tests.
    ["mvn mvnw", /(?:^| )(?:(?:test-)?compile|package|install|deploy)(?= |$)/],
    [
        "gradle gradlew",
        /(?:^|[ :])(?:\w*[tT]est\w*|\w*[cC]heck|lint\w*|build|assemble\w*|compile\w+)(?![\w-])/,
    ],
];

/** Programs that run a package's scripts; pnpm and yarn run its programs as well. */
const RUNNERS = new Set(["npm", "pnpm", "yarn", "bun", "composer"]);
const BARE_RUNNERS = new Set(["pnpm", "yarn"]);

/** Options that check only with a word: `prettier --check`, `node --test`. */
const BY_OPTION: Readonly<Record<string, RegExp>> = {
    prettier: /^(?:--check|-c|--list-different|-l)$/,
    black: /^--(?:check|diff)$/,
    isort: /^(?:--check(?:-only)?|-c)$/,
    ruff: /^--(?:check|diff)$/,
    gofmt: /^-[ld]$/,
    rustfmt: /^--check$/,
    cargo: /^--check$/,
    cmake: /^--build$/,
    shfmt: /^-[ld]$/,
    node: /^(?:--test|--check|-c)$/,
    tsx: /^--test$/,
    bash: /^-n$/,
    php: /^-l$/,
    ruby: /^-c$/,
};

/** Options that show, list or prepare something, and test nothing. */
const SHOWS =
    /^--?(?:version|help(?:-\w+)?|list[-\w]*|show-?(?:config|only)|print-?config|env-info|init|collect-only|co|dry-?run|no-run|just-print|recon|setup-(?:plan|only)|fixtures(?:-per-test)?|markers|skip-?tests)$/i;
const SKIPS_TESTS = /^-D(?:skipTests|maven\.test\.skip)(?!=false)/;
/** The short forms; `-h` and `-V` where nothing is said. */
const SHOWS_SHORT: Readonly<Record<string, string>> = {
    ...{ make: "nqhvp", gmake: "nqhvp", ninja: "nht", just: "nlh", task: "nlh", rake: "TPnhV" },
    ...{ tsc: "vh", eslint: "vh", jest: "vh", vitest: "vh", ava: "vh", biome: "Vh" },
    ...{ ctest: "Nh", gradle: "mhv", gradlew: "mhv", mvn: "hv", mvnw: "hv", dotnet: "th" },
    ...{ go: "c", rspec: "hv", rubocop: "hvVL", bats: "hvc", prove: "hVD", tox: "lah", nox: "lh" },
};
/** Short options with a separate value. */
const VALUED: Readonly<Record<string, string>> = {
    ...{ gradle: "xpbIg", gradlew: "xpbIg", make: "CfIoW", gmake: "CfIoW", ninja: "Cfjkl" },
    ...{ npm: "wC", pnpm: "CF", yarn: "", bun: "", just: "fd", task: "dt", bats: "fF", go: "C" },
};
const LONG_VALUED = new Set(
    "prefix workspace filter cwd dir project profile exclude-task directory file group".split(" ")
);

/** Whether the call's exit code shows that a test, lint, type check or build passed. */
export function isCheck({ name, args, ...rest }: ProgramCall): boolean {
    const short = ownValue(SHOWS_SHORT, name) ?? "hV";
    const showsOnly = args.some(({ text }) => {
        const [option = ""] = text.split("=", 1);
        if (/^-\w$/.test(option)) return short.includes(option.slice(1));
        return SHOWS.test(option) || SKIPS_TESTS.test(text);
    });
    if (showsOnly) return false;
    const byOption = ownValue(BY_OPTION, name);
    if (byOption && args.some(({ text }) => byOption.test(text))) return true;
    const given = argumentsOf(args, ownValue(VALUED, name) ?? "C", LONG_VALUED);
    // `cargo +nightly test`
    const operands = given.operands.filter((operand) => !operand.text.startsWith("+"));
    const [first, ...more] = operands.slice(0, 6);
    const text = operands
        .slice(0, 6)
        .map((operand) => operand.text)
        .join(" ");
    if (RULES.some(([names, words]) => names.split(" ").includes(name) && words.test(text))) {
        return true;
    }
    if (!RUNNERS.has(name) || first === undefined) return false;
    if (/^(?:run|run-script)$/.test(first.text)) return SCRIPT.test(more[0]?.text ?? "");
    if (!BARE_RUNNERS.has(name)) return false;
    if (first.text === "workspace") return isCheck({ ...rest, name, args: more.slice(1) });
    return SCRIPT.test(first.text) || isCheck({ ...rest, name: first.text, args: more });
}

/** Equal for the same check in the same folder, whatever wraps it. */
export function nameOfCheck({ name, args, folder = "?" }: ProgramCall): string {
    const words = [name, ...args.map(({ shown }) => shown)].join(" ");
    return folder === "" || folder === "." ? words : `${folder}: ${words}`;
}
