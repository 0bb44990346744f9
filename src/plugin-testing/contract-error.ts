/** Violations of the plugin contract, one per line. */
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

/** Collects problems, so that one run of a check reports all of them. */
export class Problems {
    private readonly found: string[] = [];

    constructor(private readonly subject: string) {}

    unless(holds: boolean, problem: string): void {
        if (!holds) this.found.push(problem);
    }

    /** Returns the call's value; an error counts as a problem. */
    attempt<Value>(what: string, call: () => Value): Value | undefined {
        try {
            return call();
        } catch (error) {
            this.found.push(`${what} threw ${String(error)}`);
            return undefined;
        }
    }

    /** Throws a `ContractError` if there are problems. */
    throwAny(): void {
        if (this.found.length > 0) throw new ContractError(this.subject, this.found);
    }
}
