"""The hub of one machine, as `smugglers hub run` starts it: broker, database, workers and pages together."""

from __future__ import annotations

import contextlib
from pathlib import Path

import msgspec
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from appliance.composition.hub import Hub, HubSettings, build_hub
from appliance.hub.broker.members import Members, MembersFile
from appliance.hub.broker.messages import BrokerAwayError, BrokerMessages
from appliance.hub.broker.server import BrokerServer
from appliance.hub.store.failures import unusable_database
from appliance.hub.store.migrate import NewerDatabaseError
from appliance.words.errors import TableError, unusable


class BrokerSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the broker runs, and how tables reach it.

    `host` and `port` are used in invitations from now on; "" and 0: as before. If no host was ever given, invitations
    contain the address of this machine, `default_host`. The broker listens on the address `listen`. `elsewhere`: the
    host of a broker that runs already, with the members of this folder.
    """

    host: str = ""
    port: int = 0
    default_host: str = "127.0.0.1"
    listen: str = "0.0.0.0"  # noqa: S104  # tables on the same network must reach it
    elsewhere: str = ""


class HubHere:
    """The hub of this machine.

    :param workers: number of threads that pull messages, each with its own connection.
    """

    def __init__(self, settings: HubSettings, broker: BrokerSettings, workers: int = 1) -> None:
        self._settings, self._broker, self._workers = settings, broker, workers
        self._server: BrokerServer | None = None
        self._messages: list[BrokerMessages] = []
        self.hub: Hub | None = None

    def start(self) -> Members:
        """Start the hub, creating it if there is none. Return its members, with the host at which it is reached.

        :raises TableError: the code says what cannot be started. Parts that were started before still run: call `stop`.
        """
        to, near = self._broker, self._broker.elsewhere
        if not near:
            self._server = BrokerServer(self._settings.folder, to.listen)
            # Before `made`: a hub that is refused must not change the host and port of the one that runs.
            self._server.hold()
        members = MembersFile(self._settings.folder).made(to.host, to.port)
        members = msgspec.structs.replace(members, host=members.host or to.default_host)
        if self._server is not None:
            self._server.start()
            near = self._server.near
        seed, authority = members.seed, members.authority
        self._messages = [BrokerMessages(near, members.port, seed, authority) for _ in range(self._workers)]
        # The pages accept the host that the hub prints as its address.
        self._settings = msgspec.structs.replace(self._settings, host_names=(*self._settings.host_names, members.host))
        self.hub = self._built()
        self.hub.start()
        return members

    def stop(self) -> None:
        """Stop all parts that were started, in reverse order. A failure of one does not stop the others from ending."""
        with contextlib.ExitStack() as steps:
            if self._server is not None:
                steps.callback(self._server.stop)
            for messages in self._messages:
                steps.callback(messages.close)
            if self.hub is not None:
                steps.callback(self.hub.stop)

    def _built(self) -> Hub:
        settings, members = self._settings, MembersFile(self._settings.folder)

        def without_key() -> dict[str, str]:
            # Pages do without a file that cannot be read: it says no more than why a table is silent.
            with contextlib.suppress(TableError):
                return members.without_key()
            return {}

        try:
            return build_hub(settings, self._messages, (BrokerAwayError,), members.former_names, without_key)
        except NewerDatabaseError:
            raise TableError("hub_database_newer") from None
        except (ArgumentError, SQLAlchemyError, ImportError) as error:
            raise unusable_database(error, settings.folder) from None
        except OSError as error:
            if error.filename is None:
                raise TableError("hub_port_taken", port=str(settings.port), reason=error.strerror) from None
            raise unusable(Path(error.filename), error) from None
