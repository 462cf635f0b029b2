"""Words that turn a sentence into its contrary: negations and opposites, Spanish and English."""

from collections.abc import Collection

NEGATIONS = frozenset(
    [
        "no",
        "nunca",
        "jamas",
        "ningun",
        "ninguna",
        "ninguno",
        "nadie",
        "nada",
        "sin",
        "tampoco",
        "ni",
        "not",
        "never",
        "none",
        "nobody",
        "nothing",
        "without",
        "neither",
        "nor",
        "cannot",
        "can't",
        "don't",
        "doesn't",
        "didn't",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "won't",
    ]
)
_PAIRS = """
    mas/menos mayor/menor maximo,maxima/minimo,minima mejor/peor antes/despues desde/hasta siempre/nunca
    primero,primera,primer/ultimo,ultima aumento,aumenta,aumentar,aumento,incremento,crecimiento,crecio/disminucion,disminuye,disminuir,disminuyo,reduccion,descenso,reduce,caida
    sube,subida,subio/baja,bajada,bajo alto,alta,altos,altas/bajo,baja,bajos,bajas largo,larga/corto,corta
    norte,septentrional/sur,meridional este,oriental/oeste,occidental este/occidental oeste/oriental
    permite,permitido,permitida,permitir,autoriza,puede,pueden/prohibe,prohibido,prohibida,prohibir,impide
    incluye,incluido,incluida,incluir,incluidos,incluidas/excluye,excluido,excluida,excluir,excluidos,excluidas
    obligatorio,obligatoria/opcional,voluntario,voluntaria gratis,gratuito,gratuita/pago,pagado
    abierto,abierta,abre/cerrado,cerrada,cierra interno,interna,interior/externo,externa,exterior
    publico,publica/privado,privada compra,comprar,comprador/venta,vender,vendedor,vende
    acepta,aceptar,acepto,aceptado/rechaza,rechazar,rechazo,rechazado gano,gana,ganar,victoria/perdio,pierde,perder,derrota
    comienzo,comenzo,empezo,inicio,empieza,comienza/termino,acabo,fin,finalizo,termina,acaba
    verdadero,verdadera/falso,falsa positivo,positiva/negativo,negativa activo,activa/inactivo,inactiva,pasivo
    nacional/internacional,extranjero hombre,hombres/mujer,mujeres joven,jovenes/viejo,viejos,anciano,ancianos
    rico,ricos/pobre,pobres lento,lenta/rapido,rapida dentro/fuera encima/debajo entrada/salida antiguo/nuevo
    izquierda/derecha superior/inferior con/sin todos,todas/ninguno,ninguna,ningun facil/dificil temprano/tarde
    amigo,aliado/enemigo guerra/paz vida/muerte vivo,viva/muerto,muerta catolico,catolicos/protestante,protestantes
    more/less most/least max,maximum/min,minimum better,best/worse,worst before/after always/never first/last
    increase,increased,increases,growth,rise,rose,grew/decrease,decreased,decreases,decline,fall,fell,reduction
    high,higher,highest/low,lower,lowest long/short north,northern/south,southern east,eastern/west,western
    allow,allowed,allows,may,permitted/forbid,forbidden,prohibited,forbids,prohibits include,included,includes/exclude,excluded,excludes
    mandatory,required,must/optional free/paid open,opens,opened/closed,closes,close internal/external public/private
    buy,buys,bought/sell,sells,sold accept,accepts,accepted/reject,rejects,rejected win,won,wins/lose,lost,loses
    begin,began,start,started,starts,begins/end,ended,ends,finished,finish true/false positive/negative
    active/inactive,passive male,men,man/female,women,woman young/old rich/poor slow/fast,quick inside/outside
    above/below entry,entrance/exit left/right upper/lower with/without all/none easy/difficult,hard early/late
    friend,ally/enemy war/peace alive/dead
"""


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        left, _, right = pair.partition("/")
        for word in left.split(","):
            table.setdefault(word, set()).update(right.split(","))
        for word in right.split(","):
            table.setdefault(word, set()).update(left.split(","))
    return {word: frozenset(others) for word, others in table.items()}


_OPPOSITES = _table()


def opposites_of(word: str) -> frozenset[str]:
    """The words listed as its contrary."""
    return _OPPOSITES.get(word, frozenset())


def opposed(word: str, others: Collection[str]) -> str | None:
    """A word among the others that says the contrary of this one."""
    for other in opposites_of(word):
        if other in others:
            return other
    return next((other for other in others if _prefixed(word, other)), None)


def _prefixed(a: str, b: str) -> bool:
    """«legal» and «ilegal», «activar» and «desactivar», «anti-china» and «pro-chinos»."""
    if "-" in a or "-" in b:
        a, b = a.replace("-", ""), b.replace("-", "")
    return _stem_after(a, b) or _stem_after(b, a) or _both_prefixed(a, b)


_TURNING = frozenset(["in", "im", "ir", "i", "des", "dis", "un", "non", "anti", "contra", "mal", "mis"])
_SIDES = (("anti", "pro"), ("in", "ex"), ("pre", "post"))
_ANY_SIDE = tuple(side for sides in _SIDES for side in sides)


def _stem_after(longer: str, shorter: str) -> bool:
    return len(shorter) >= 5 and longer.endswith(shorter) and longer[: -len(shorter)] in _TURNING


def _both_prefixed(a: str, b: str) -> bool:
    if not (a.startswith(_ANY_SIDE) and b.startswith(_ANY_SIDE)):
        return False
    for one, other in _SIDES:
        for x, y in ((a, b), (b, a)):
            if x.startswith(one) and y.startswith(other) and len(x) - len(one) >= 4:
                rest, rest_other = x[len(one) :], y[len(other) :]
                if rest[:4] == rest_other[:4] and (one != "in" or rest[:5] == rest_other[:5]):
                    return True
    return False
