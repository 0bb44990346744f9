/** What breaks the contract of plugins, a line each. */
export class ContractError extends Error {
    constructor(
        subject: string,
        readonly problems: readonly string[]
    ) {
        super(
            [`${subject} breaks the contract:`, ...problems.map((text) => `- ${text}`)].join("\n")
        );
        this.name = "ContractError";
    }
}

/** Collects problems, so that one run of a check tells all of them. */
export class Problems {
    private readonly found: string[] = [];

    constructor(private readonly subject: string) {}

    unless(holds: boolean, problem: string): void {
        if (!holds) this.found.push(problem);
    }

    /** The value of a call; what it throws is a problem. */
    attempt<Value>(what: string, call: () => Value): Value | undefined {
        try {
            return call();
        } catch (error) {
            this.found.push(`${what} threw ${String(error)}`);
            return undefined;
        }
    }

    /** Throws a `ContractError` where there are any. */
    throwAny(): void {
        if (this.found.length > 0) throw new ContractError(this.subject, this.found);
    }
}
