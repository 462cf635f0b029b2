"""`veraz`: the commands. An error is one sentence on stderr and an exit code, never a traceback."""

import sys
from typing import Final

import typer

from veraz import errors
from veraz.cli import (
    administration,
    answer_evals,
    ask,
    asking,
    documents,
    end_user_keys,
    evals,
    forgetting,
    identity_providers,
    ingest,
    licences,
    mcp,
    operations,
    security_events,
    serve,
    vectors,
)
from veraz.cli.common import err

app = typer.Typer(
    name="veraz",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Conocimiento para agentes de IA: responde solo con sus documentos y muestra el pasaje de cada afirmación.",
)
app.command("serve")(serve.serve)
app.command("worker")(serve.worker)
ingest.register(app)
operations.register(app)
administration.register(app)
licences.register(app)
end_user_keys.register(app)
forgetting.register(app)
security_events.register(app)
ask.register(app)
evals.register(app)
answer_evals.register()
asking.register(app)
mcp.register(app)
app.add_typer(vectors.app, name="vectors")
app.add_typer(documents.app, name="document")
app.add_typer(identity_providers.app, name="identity-provider")

EXIT: Final[dict[type[errors.VerazError], int]] = {
    errors.NotFound: 4,
    errors.Unauthenticated: 5,
    errors.Forbidden: 5,
    errors.Invalid: 2,
    errors.Conflict: 6,
    errors.PaymentRequired: 7,
    errors.Unavailable: 8,
    errors.OutsideFault: 9,
    errors.VerazError: 1,
}


def run() -> None:
    """The entry point."""
    try:
        app()
    except errors.VerazError as error:
        err.print(f"[bold red]veraz:[/] {error.message('es')}  [dim]({error.code})[/]", highlight=False)
        sys.exit(next(EXIT[kind] for kind in type(error).__mro__ if kind in EXIT))
    except KeyboardInterrupt:
        sys.exit(130)
