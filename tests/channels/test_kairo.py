"""KAIRO's handler and its way of sending: a lead's message in, the agent's answer out, inside one project and agent."""

from typing import TYPE_CHECKING, Any
from uuid import uuid4

from psycopg import Connection
from psycopg.rows import TupleRow

if TYPE_CHECKING:
    from tests.channels.conftest import Desk
    from tests.support import graph_server as meta
else:
    from support import graph_server as meta

QUESTION = "¿Cuánto es la cuota mensual del gimnasio municipal?"
HANDLER = "//webhook/kairo-ai-handler"


def lead(desk: "Desk", message: str = QUESTION, **more: Any) -> dict[str, Any]:
    """What KAIRO sends."""
    about = {"leadId": "lead-7", "conversationId": "kairo-conversation-1"}
    return about | {"agentId": desk.agent, "projectId": desk.project, "message": message} | more


async def test_a_lead_is_answered_and_its_conversation_goes_on(desk: "Desk") -> None:
    answer = await desk.acme.call("POST", HANDLER, 200, json=lead(desk, extra="ignored"))
    assert "30 euros" in answer["response"]
    assert (answer["hasContext"], answer["refused"], answer["sent"]) == (True, False, False)
    assert answer["sources"][0]["title"] == "gimnasio.md"
    again = await desk.acme.call("POST", HANDLER, 200, json=lead(desk, "¿Y quién lo dirige?"))
    assert "Ana García" in again["response"]
    assert again["conversationId"] == answer["conversationId"]
    other = await desk.acme.call("POST", HANDLER, 200, json=lead(desk, conversationId=None))
    assert other["conversationId"] != answer["conversationId"]
    ours = lead(desk, conversationId=answer["conversationId"])
    assert (await desk.acme.call("POST", HANDLER, 200, json=ours))["conversationId"] == answer[
        "conversationId"
    ]
    assert desk.graph.sent == []


async def test_a_callers_ids_may_be_numbers_and_its_conversation_empty(desk: "Desk") -> None:
    first = await desk.acme.call("POST", HANDLER, 200, json=lead(desk, leadId=7, conversationId=12))
    again = await desk.acme.call("POST", HANDLER, 200, json=lead(desk, leadId="7", conversationId="12"))
    assert (first["leadId"], again["conversationId"]) == ("7", first["conversationId"])
    alone = [
        (await desk.acme.call("POST", HANDLER, 200, json=lead(desk, conversationId=empty)))["conversationId"]
        for empty in ("", " ", None)
    ]
    assert len(set(alone)) == 1


async def test_a_lead_whom_whatsapp_lets_nobody_write_to_is_answered_to_the_caller_alone(
    desk: "Desk", owner: Connection[TupleRow]
) -> None:
    path = f"/whatsapp-numbers/{desk.number['id']}"
    await desk.acme.call("PATCH", path, 200, json={"answered_by": "outside"})
    await desk.write(meta.text(QUESTION))
    await desk.quiet()
    owner.execute("update veraz.whatsapp_contact set last_in_at = now() - interval '25 hours'")
    answer = await desk.acme.call("POST", HANDLER, 200, json=lead(desk, leadId="5215512345678"))
    assert "30 euros" in answer["response"]
    assert not answer["sent"]
    await desk.quiet()
    assert desk.graph.sent == []


async def test_a_lead_whom_a_person_answers_gets_no_answer(desk: "Desk") -> None:
    answer = await desk.acme.call("POST", HANDLER, 200, json=lead(desk))
    talk = f"/conversations/{answer['conversationId']}"
    await desk.acme.call("PATCH", talk, 200, json={"handoff_mode": "human"})
    answer = await desk.acme.call("POST", HANDLER, 200, json=lead(desk))
    assert (answer["response"], answer["handoffMode"]) == ("", "human")


async def test_the_handler_needs_a_key_and_keeps_agents_projects_and_tenants_apart(desk: "Desk") -> None:
    assert (await desk.door.http.post("/webhook/kairo-ai-handler", json=lead(desk))).status_code == 401
    await desk.door.rival.call("POST", HANDLER, 404, json=lead(desk))
    project = await desk.acme.call("POST", "/projects", 201, json={"name": "Otro"})
    await desk.acme.call("POST", HANDLER, 404, json=lead(desk, projectId=project["id"]))
    await desk.acme.call("POST", HANDLER, 404, json=lead(desk, agentId=str(uuid4())))
    await desk.acme.call("POST", HANDLER, 422, json=lead(desk, message=""))
    first = await desk.acme.call("POST", HANDLER, 200, json=lead(desk))
    agent = (await desk.door.rival.call("GET", "/agents", 200))["items"][0]
    theirs = lead(
        desk, agentId=agent["id"], projectId=agent["project_id"], conversationId=first["conversationId"]
    )
    other = await desk.door.rival.call("POST", HANDLER, 200, json=theirs)
    assert other["conversationId"] != first["conversationId"]
    key = await desk.acme.call("POST", "/api-keys", 201, json={"name": "k", "scopes": ["ingest"]})
    forbidden = await desk.acme.send(
        "POST", HANDLER, json=lead(desk), headers={"Authorization": f"Bearer {key['key']}"}
    )
    assert forbidden.status_code == 403


async def test_a_number_that_somebody_outside_answers_tells_and_sends_what_it_is_told(desk: "Desk") -> None:
    hook = {"name": "n8n", "url": "https://n8n.example.com/webhook/kairo-ai-handler"}
    events = ["conversation.message", "whatsapp.failed"]
    hook = await desk.acme.call("POST", "/webhooks", 201, json=hook | {"events": events})
    await desk.acme.call("DELETE", f"/webhooks/{hook['id']}", 204)
    path = f"/whatsapp-numbers/{desk.number['id']}"
    await desk.acme.call("PATCH", path, 200, json={"answered_by": "outside"})
    await desk.write(meta.text(QUESTION))
    await desk.quiet()
    assert desk.graph.sent == []
    (told,) = await desk.events("conversation.message")
    assert (told["message"], told["agent_id"], told["project_id"]) == (QUESTION, desk.agent, desk.project)
    sending = {"projectId": desk.project, "leadId": told["lead_id"], "agentId": desk.agent}
    body = {"question": QUESTION, "conversation_id": told["conversation_id"]}
    answer = await desk.acme.call("POST", f"/agents/{desk.agent}/ask", 200, json=body)
    sent = await desk.acme.call(
        "POST", "//api/whatsapp/send", 202, json=sending | {"message": answer["answer"]}
    )
    assert sent["conversationId"] == told["conversation_id"]
    assert "30 euros" in (await desk.sent(1))[0]
    assert len(await desk.said()) == 2, "what the agent said is not said twice"
    for name in ("+5215512345678", "MX.5215512345678", "+52 1 (55) 1234-5678"):
        greeting = sending | {"leadId": name, "message": f"Hola, {name}"}
        await desk.acme.call("POST", "//api/whatsapp/send", 202, json=greeting)
    assert len(await desk.sent(4)) == 4
    assert [role for role, _ in await desk.said()] == ["user", *["assistant"] * 4]


async def test_a_lead_of_our_number_gets_the_handlers_answer_on_whatsapp(desk: "Desk") -> None:
    path = f"/whatsapp-numbers/{desk.number['id']}"
    await desk.acme.call("PATCH", path, 200, json={"answered_by": "outside"})
    await desk.write(meta.text(QUESTION))
    await desk.quiet()
    (told,) = await desk.events("conversation.message")
    answer = await desk.acme.call("POST", HANDLER, 200, json=lead(desk, leadId=told["lead_id"]))
    assert answer["sent"]
    assert await desk.sent(1) == [answer["response"]]
    assert answer["conversationId"] == told["conversation_id"]


async def test_only_a_program_that_manages_speaks_for_a_lead_and_only_where_one_answers(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    talk = (await desk.acme.call("GET", "/conversations", 200))["items"][0]["id"]
    body = {"question": QUESTION, "conversation_id": talk}
    await desk.acme.call("POST", f"/agents/{desk.agent}/ask", 403, json=body)
    path = f"/whatsapp-numbers/{desk.number['id']}"
    await desk.acme.call("PATCH", path, 200, json={"answered_by": "outside"})
    for scopes, status in ((["ask", "read"], 403), (["ask", "manage"], 200)):
        key = await desk.acme.call("POST", "/api-keys", 201, json={"name": "k", "scopes": scopes})
        program = {"Authorization": f"Bearer {key['key']}"}
        asked = await desk.acme.send("POST", f"/agents/{desk.agent}/ask", json=body, headers=program)
        told = await desk.acme.send("POST", HANDLER, json=lead(desk, leadId="5215512345678"), headers=program)
        assert (asked.status_code, told.status_code) == (status, status)


async def test_another_key_with_the_same_name_for_a_lead_has_a_conversation_of_its_own(desk: "Desk") -> None:
    talks = []
    for name in ("one", "two"):
        key = await desk.acme.call("POST", "/api-keys", 201, json={"name": name, "scopes": ["ask", "manage"]})
        program = {"Authorization": f"Bearer {key['key']}"}
        for _ in range(2):
            answer = await desk.acme.send("POST", HANDLER, json=lead(desk), headers=program)
            talks.append(answer.json()["conversationId"])
    assert talks[0] == talks[1] != talks[2] == talks[3]


async def test_sending_is_for_who_manages_the_project_and_only_to_its_own_leads(desk: "Desk") -> None:
    await desk.write(meta.text(QUESTION))
    await desk.sent(1)
    body = {"projectId": desk.project, "leadId": "5215512345678", "message": "hola"}
    path = "//api/whatsapp/send"
    assert (await desk.door.http.post("/api/whatsapp/send", json=body)).status_code == 401
    await desk.door.rival.call("POST", path, 404, json=body)
    rivals = (await desk.door.rival.call("GET", "/projects", 200))["items"][0]["id"]
    await desk.door.rival.call("POST", path, 404, json=body | {"projectId": rivals})
    await desk.acme.call("POST", path, 404, json=body | {"leadId": "34600111222"})
    await desk.acme.call("POST", path, 422, json=body | {"message": "[1]"})
    await desk.acme.call("POST", path, 404, json=body | {"agentId": str(uuid4())})
    key = await desk.acme.call("POST", "/api-keys", 201, json={"name": "k", "scopes": ["ask"]})
    asker = {"Authorization": f"Bearer {key['key']}"}
    assert (await desk.acme.send("POST", path, json=body, headers=asker)).status_code == 403
    await desk.quiet()
    assert len(desk.graph.sent) == 1
