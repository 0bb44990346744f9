/** Prefixes that run the command after them. */
const RUNNERS = [
    ...["npx", "bunx", "pnpm exec", "yarn exec", "uv run", "poetry run", "bundle exec"],
    ...["python -m", "python3 -m", "time"],
];
const SCRIPTS = ["test", "run test", "run lint", "run check", "run typecheck", "run build"];
/** Commands of common tools that test, lint or type-check. */
const CHECKS = [
    ...["npm", "pnpm", "yarn", "bun"].flatMap((tool) => SCRIPTS.map((each) => `${tool} ${each}`)),
    ...["npm t", "yarn lint", "yarn check", "yarn typecheck", "pnpm lint", "node --test"],
    ...["jest", "vitest", "mocha", "ava", "playwright test", "tsc", "eslint", "biome check"],
    ...["deno test", "deno check", "deno lint", "pytest", "unittest", "tox", "nox", "mypy"],
    ...["pyright", "ruff check", "cargo test", "cargo nextest", "cargo check", "cargo clippy"],
    ...["go test", "go vet", "go build", "golangci-lint run", "make test", "make check"],
    ...["make lint", "mvn test", "mvn verify", "gradle test", "gradle check", "./gradlew test"],
    ...["./gradlew check", "dotnet test", "dotnet build", "phpunit", "vendor/bin/phpunit"],
    ...["composer test", "phpstan", "rspec", "rake test", "rails test", "bin/rails test"],
    ...["rubocop", "mix test", "swift test", "ctest", "bats", "shellcheck"],
];

/**
 * Whether a command's exit code shows that a check passed: a known tool, alone or joined with
 * others by `&&`, or a configured command. After a pipe or `;` the code belongs to another command.
 */
export function isCheckCommand(command: string, own: readonly string[] = []): boolean {
    if (own.includes(command.trim())) return true;
    const parts = command.split("&&").map((part) => part.replace("2>&1", "").trim());
    if (parts.some((part) => /[|;&\n]/.test(part))) return false;
    return parts.some((part) => {
        const words = part.split(/\s+/);
        const program = words.findIndex((word) => !/^\w+=/.test(word));
        const rest = withoutRunner(words.slice(Math.max(program, 0)).join(" "));
        return CHECKS.some((check) => rest === check || /^[ :]/.test(restAfter(rest, check)));
    });
}

function withoutRunner(command: string): string {
    const runner = RUNNERS.find((each) => command.startsWith(`${each} `));
    return runner === undefined ? command : withoutRunner(command.slice(runner.length + 1));
}

function restAfter(text: string, start: string): string {
    return text.startsWith(start) ? text.slice(start.length) : "";
}
