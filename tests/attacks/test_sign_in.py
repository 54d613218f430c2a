"""Signing in: nobody is signed in by another site's page, kept out by somebody else's guesses, or robbed of a cookie."""
import re

import pytest
import requests
from requests.adapters import HTTPAdapter
from trainyard import Server

PASSWORD = "correct horse battery staple"


class FromAddress(HTTPAdapter):
    """Connects from one of this machine's own loopback addresses."""

    def __init__(self, address):
        self.address = address
        super().__init__()

    def init_poolmanager(self, *args, **options):
        return super().init_poolmanager(*args, source_address=(self.address, 0), **options)


def visitor(address="127.0.0.1"):
    session = requests.Session()
    session.trust_env = False
    session.mount("http://", FromAddress(address))
    return session


def sign_in(server, session, name="ann", password=PASSWORD, **options):
    return session.post(server.url + "/api/v1/login", json={"user": name, "password": password}, timeout=60, **options)


@pytest.fixture
def site(make_server):
    server = make_server()
    server.start()
    ann = server.create_user("ann")
    server.act(204, "POST", "/api/v1/password", token=ann, json={"new_password": PASSWORD})
    return server


def guess_until_refused(server, sessions, most=400):
    for i in range(most):
        if sign_in(server, sessions[i % len(sessions)], password=f"guess {i}").status_code == 429:
            return
    raise AssertionError(f"{most} guesses and still not slowed down")


def test_guesses_from_one_address_do_not_lock_the_victim_out(site):
    guess_until_refused(site, [visitor("127.0.0.2")])
    assert sign_in(site, visitor("127.0.0.1")).status_code == 200


def test_a_job_on_the_machine_does_not_lock_the_victim_out(site):
    """The guesses come from the very address that the victim has, as jobs, tunnels and proxies do."""
    known = visitor("127.0.0.1")
    assert sign_in(site, known).status_code == 200
    known.cookies.pop("trainyard_session")   # signed out; the browser is still the one that it was
    guess_until_refused(site, [visitor("127.0.0.1")])
    assert sign_in(site, visitor("127.0.0.1")).status_code == 429
    assert sign_in(site, known).status_code == 200


def test_guesses_from_everywhere_leave_known_devices_addresses_and_links(site):
    browser, address = visitor("127.0.0.9"), visitor("127.0.0.8")
    assert sign_in(site, browser).status_code == sign_in(site, address).status_code == 200
    address.cookies.clear()
    guess_until_refused(site, [visitor(f"127.0.1.{i}") for i in range(1, 60)])
    assert sign_in(site, visitor("127.0.2.1")).status_code == 429, "the right password from a new place has to wait"
    assert sign_in(site, browser).status_code == 200
    assert sign_in(site, address).status_code == 200
    link = site.act(201, "POST", "/api/v1/users/ann/link")["link"]
    assert site.sign_in(link)["user"] == "ann"


def test_a_device_of_one_account_is_worth_nothing_to_another(site):
    bob = site.create_user("bob")
    site.act(204, "POST", "/api/v1/password", token=bob, json={"new_password": PASSWORD})
    device = visitor("127.0.0.3")
    assert sign_in(site, device, name="bob").status_code == 200
    refused = [sign_in(site, device, password=f"guess {i}").status_code for i in range(40)]
    assert refused[-1] == 429
    forged = visitor("127.0.0.4")
    forged.cookies.set("trainyard_device", device.cookies["trainyard_device"][:-4] + "AAAA")
    assert [sign_in(site, forged, password=f"guess {i}").status_code for i in range(40)][-1] == 429


def test_links_cannot_be_locked(site):
    """A thousand false links leave the true one."""
    link = site.act(201, "POST", "/api/v1/users/ann/link")["link"]
    for i in range(60):
        false = site.call("POST", "/api/v1/login", token="", json={"link": "tyl_" + f"{i:040}"})
        assert false.status_code == 401, false.text
    assert site.sign_in(link)["user"] == "ann"


def test_one_persons_wrong_old_passwords_are_nobody_elses_wait(site):
    bob = site.create_user("bob")
    site.act(204, "POST", "/api/v1/password", token=bob, json={"new_password": PASSWORD})
    for i in range(60):
        site.call("POST", "/api/v1/password", token=bob, json={"old_password": f"guess {i}", "new_password": PASSWORD + "1"})
    ann = sign_in(site, visitor()).json()["token"]
    site.act(204, "POST", "/api/v1/password", token=ann, json={"old_password": PASSWORD, "new_password": PASSWORD + "2"})


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},   # a page that a job serves on another port of this machine
])
def test_no_other_page_signs_its_visitor_in(site, headers):
    for body in ({"user": "ann", "password": PASSWORD}, {"link": re.search(
            r"tyl_\w+", site.act(201, "POST", "/api/v1/users/ann/link")["link"]).group(0)}):
        answer = site.http.post(site.url + "/api/v1/login", json=body, headers=headers)
        assert answer.status_code == 403 and "Set-Cookie" not in answer.headers, answer.headers
    neighbour = {"Origin": re.sub(r":\d+$", ":8888", site.url)}
    answer = site.http.post(site.url + "/api/v1/login", json={"user": "ann", "password": PASSWORD}, headers=neighbour)
    assert answer.status_code == 403


def test_the_own_page_signs_in(site):
    headers = {"Origin": site.url, "Sec-Fetch-Site": "same-origin"}
    assert sign_in(site, visitor(), headers=headers).status_code == 200


def cookies_of(answer):
    return {name: rest for name, _, rest in (one.partition("=") for one in answer.raw.headers.getlist("Set-Cookie"))}


def test_over_tls_the_session_is_a_host_cookie(tmp_path):
    with Server(tmp_path / "data", "--tls-self-signed") as server:
        link = server.act(201, "POST", "/api/v1/users", json={"name": "ann"})["link"]
        answer = server.http.post(server.url + "/api/v1/login", json={"link": re.search(r"tyl_\w+", link).group(0)})
        made = cookies_of(answer)
        assert set(made) == {"__Host-trainyard_session", "__Host-trainyard_device"}
        for attributes in made.values():
            words = [word.strip().lower() for word in attributes.split(";")[1:]]
            assert {"secure", "httponly", "path=/", "samesite=lax"} <= set(words)
            assert not any(word.startswith("domain") for word in words)
        token = answer.json()["token"]

        def asks(cookie):
            return requests.get(server.url + "/api/v1/users/me", headers={"Cookie": cookie}, verify=server.http.verify).status_code

        assert asks(f"__Host-trainyard_session={token}") == 200
        # What a neighbour without TLS could have set is not looked at, whatever is beside it.
        assert asks(f"trainyard_session={token}") == 401
        assert asks(f"trainyard_session=tys_forged; __Host-trainyard_session={token}") == 200


def test_without_tls_it_is_an_ordinary_one(site):
    made = cookies_of(sign_in(site, visitor()))
    assert set(made) == {"trainyard_session", "trainyard_device"}
    assert all("httponly" in attributes.lower() for attributes in made.values())


def test_a_cookie_changes_nothing_for_another_page(site):
    token = sign_in(site, visitor()).json()["token"]
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "same-site"}):
        answer = site.http.post(site.url + "/api/v1/jobs", data="run: id",
                                headers={"Cookie": f"trainyard_session={token}", **headers})
        assert answer.status_code == 403
    assert site.get("/api/v1/jobs", token=token)["jobs"] == []
